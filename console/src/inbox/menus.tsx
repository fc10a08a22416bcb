import { MAX_TAG } from '@parlor/shared/limits';
import { useRef, useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { moment, words } from '../locale/locale.ts';
import { me } from '../session/session.ts';
import { type Choice, Menu } from '../ui/menu.tsx';
import styles from './actions.module.css';
import { snoozeTimes } from './acts.ts';
import { members, nameOf } from './people.ts';

/** Whether a menu is open, which is also by a key. */
export interface MenuState {
  isOpen: boolean;
  onToggle(isOpen: boolean): void;
}

/** @param assignee who takes care now; null: nobody, undefined: that differs */
export const AssignMenu = ({
  assignee,
  onAssign,
  ...state
}: MenuState & {
  assignee: string | null | undefined;
  onAssign(uuid: string | null): void;
}) => {
  const t = words.value.inbox;
  const others = members.value.filter(({ uuid, is_away }) => uuid !== me.value?.uuid && !is_away);
  const choice = (uuid: string | null, label: string): Choice => ({
    key: uuid ?? 'nobody',
    label,
    isChosen: assignee === uuid,
    onChoose: () => onAssign(uuid),
  });
  const choices = [
    ...(me.value && !me.value.is_away ? [choice(me.value.uuid, t.me)] : []),
    choice(null, t.nobody),
    ...others.map(({ uuid, name }) => choice(uuid, name)),
  ];
  const value = assignee ? nameOf(assignee) : undefined;
  return <Menu {...state} label={t.assign} icon="assign" value={value} choices={choices} />;
};

export const SnoozeMenu = ({ onSnooze, ...state }: MenuState & { onSnooze(until: Date): void }) => {
  const t = words.value.inbox;
  // To begin with dates takes long on a slow phone: what nobody sees is not written out.
  const times = state.isOpen ? snoozeTimes(new Date()) : [];
  const choices = times.map(
    ({ key, at }): Choice => ({
      key,
      label: t[key],
      note: moment(at.toISOString()),
      onChoose: () => onSnooze(at),
    }),
  );
  return <Menu {...state} label={t.snooze} icon="snooze" choices={choices} />;
};

/** How many tags are offered at once; who types on finds the others. */
const OFFERED = 20;

/** @param tags those that are set */
export const TagMenu = ({
  tags,
  onFlip,
  ...state
}: MenuState & { tags: readonly string[]; onFlip(tag: string): void }) => {
  const t = words.value.inbox;
  const [known, setKnown] = useState<readonly string[]>([]);
  const [typed, setTyped] = useState('');
  const hasAsked = useRef(false);
  const toggle = (isOpen: boolean) => {
    setTyped('');
    state.onToggle(isOpen);
  };
  if (state.isOpen && !hasAsked.current) {
    hasAsked.current = true;
    ask<string[]>('GET', 'conversations/tags/').then(setKnown, () => undefined);
  }
  if (!state.isOpen) hasAsked.current = false;
  const wanted = typed.trim();
  const fits = (tag: string) => tag.toLocaleLowerCase().includes(wanted.toLocaleLowerCase());
  const fitting = [...new Set([...tags, ...known])].filter(fits);
  // Enter takes the first: what was typed, and not what has it in it.
  const exact = fitting.filter((tag) => tag === wanted);
  const offered = [...new Set([...exact, ...fitting])].slice(0, OFFERED);
  const isNew = wanted !== '' && exact.length === 0;
  const choices: Choice[] = [
    ...(isNew ? [{ key: ' new', label: `${t.addTag}: ${wanted}`, onChoose: () => onFlip(wanted) }] : []),
    ...offered.map((tag) => ({
      key: tag,
      label: tag,
      isChosen: tags.includes(tag),
      onChoose: () => onFlip(tag),
    })),
  ];
  return (
    <Menu {...state} onToggle={toggle} label={t.tag} icon="tag" choices={choices}>
      <input
        class={styles.filter}
        aria-label={t.addTag}
        placeholder={t.addTag}
        maxLength={MAX_TAG}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </Menu>
  );
};
