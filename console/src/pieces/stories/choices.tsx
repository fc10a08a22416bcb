import { useState } from 'preact/hooks';
import { Checklist } from '../../ui/checklist.tsx';
import { DaysFilter } from '../../ui/days-filter.tsx';
import { Menu } from '../../ui/menu.tsx';
import { RadioCards } from '../../ui/radio-cards.tsx';
import { Toggle } from '../../ui/toggle.tsx';
import { LONG } from '../samples.ts';
import { Piece, State } from '../state.tsx';

const idle = () => undefined;

const ROLES = [
  ['operator', 'Operator', 'Answers conversations and sees leads.'],
  ['admin', 'Admin', 'Changes widgets, members and webhooks, too.'],
  ['owner', 'Owner', 'Does everything.'],
] as const;

const Roles = () => {
  const [role, setRole] = useState<(typeof ROLES)[number][0]>('admin');
  return <RadioCards legend="Role" options={ROLES} value={role} onChoose={(one) => setRole(one)} />;
};

const Columns = () => {
  const [on, setOn] = useState<readonly string[]>(['Name', 'E-mail']);
  return (
    <Checklist
      label="Columns"
      items={['Name', 'E-mail', 'Phone', 'Page'].map((label) => ({
        key: label,
        label,
        isOn: on.includes(label),
        onToggle: (isOn) => setOn(isOn ? [...on, label] : on.filter((one) => one !== label)),
      }))}
    />
  );
};

const Assign = ({ wasOpen = false }: { wasOpen?: boolean }) => {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState('Grace Hopper');
  return (
    <Menu
      label="Assign to"
      icon="assign"
      value={wasOpen ? chosen : undefined}
      isOpen={isOpen}
      onToggle={setOpen}
      choices={['Grace Hopper', 'Hedy Lamarr', LONG].map((label, n) => ({
        key: label,
        label,
        isChosen: label === chosen,
        ...(n === 1 && { note: 'away' }),
        onChoose: () => setChosen(label),
      }))}
    />
  );
};

/** What is chosen, and what is on or off. */
export const Choices = () => (
  <>
    <Piece name="RadioCards" about="One of a few, each with what it means.">
      <State label="idle">
        <Roles />
      </State>
      <State label="hovered" pretended="hover" of="label">
        <Roles />
      </State>
      <State label="focused" pretended="focus-visible">
        <Roles />
      </State>
      <State label="long" size="narrow">
        <RadioCards legend="Role" options={[['long', LONG, LONG]]} value="long" onChoose={idle} />
      </State>
    </Piece>
    <Piece name="Toggle" about="On or off, at once.">
      <State label="off">
        <Toggle label="Published" />
      </State>
      <State label="on, with a hint">
        <Toggle label="Published" hint="Visitors get it from now on." defaultChecked />
      </State>
      <State label="focused" pretended="focus-visible">
        <Toggle label="Published" defaultChecked />
      </State>
      <State label="disabled">
        <Toggle label="Published" disabled />
      </State>
      <State label="long" size="narrow">
        <Toggle label={LONG} hint={LONG} />
      </State>
    </Piece>
    <Piece name="Checklist" about="Several of several, below a button.">
      <State label="closed">
        <Columns />
      </State>
      <State label="open" isPressed>
        <Columns />
      </State>
      <State label="hovered" pretended="hover">
        <Columns />
      </State>
      <State label="focused" pretended="focus-visible">
        <Columns />
      </State>
    </Piece>
    <Piece name="Menu" about="What is done with something, below an icon; arrows go through it.">
      <State label="closed">
        <Assign />
      </State>
      <State label="open" isPressed>
        <Assign />
      </State>
      <State label="with what is chosen">
        <Assign wasOpen />
      </State>
      <State label="hovered" pretended="hover">
        <Assign />
      </State>
      <State label="focused" pretended="focus-visible">
        <Assign />
      </State>
    </Piece>
    <Piece name="DaysFilter" about="The days of a list or a report, as they stand in the page's address.">
      <State label="all days">
        <DaysFilter query={{}} onChoose={idle} />
      </State>
      <State label="between two days" size="wide">
        <DaysFilter query={{ from: '2026-11-01', to: '2026-11-22' }} onChoose={idle} />
      </State>
    </Piece>
  </>
);
