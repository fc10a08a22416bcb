import { MAX_QUERY } from '@parlor/shared/limits';
import { Copyable } from '../../ui/copyable.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import { Theirs } from '../../ui/theirs.tsx';
import { useForm } from '../../ui/use-form.ts';
import { ARABIC, LONG } from '../samples.ts';
import { Piece, State } from '../state.tsx';

const idle = () => undefined;
const SORTS = [
  ['', 'All states'],
  ['failed', 'Failed'],
] as const;

const NewWebhook = ({ isBusy = false, message = '' }: { isBusy?: boolean; message?: string }) => {
  const form = useForm(() => new Promise<void>(idle));
  return (
    <Form form={{ ...form, isBusy: isBusy || form.isBusy, message }} submit="Add">
      <Field label="Address" name="address" type="url" defaultValue="https://example.com/hook" />
    </Form>
  );
};

/** What is typed, and taken along. */
export const Fields = () => (
  <>
    <Piece name="Field" about="A line of text, or several; what is wrong with it stands below it.">
      <State label="empty">
        <Field label="Name" name="name" />
      </State>
      <State label="hint, note and placeholder">
        <Field label="Name" note="optional" hint="Visitors see it." name="name" placeholder="Parlor" />
      </State>
      <State label="focused" pretended="focus-visible">
        <Field label="Name" name="name" defaultValue="Grace Hopper" />
      </State>
      <State label="error">
        <Field label="Address" name="address" defaultValue="nowhere" error="Enter a valid URL." />
      </State>
      <State label="error, focused" pretended="focus-visible">
        <Field label="Address" name="address" defaultValue="nowhere" error="Enter a valid URL." />
      </State>
      <State label="password">
        <Field label="Password" name="password" type="password" defaultValue="a long enough secret" />
      </State>
      <State label="day">
        <Field label="From" name="from" type="date" defaultValue="2026-11-22" />
      </State>
      <State label="several lines">
        <Field label="Text" name="text" rows={3} defaultValue={'Good morning!\nHow can we help?'} />
      </State>
      <State label="right to left">
        <Field label="النص" name="arabic" rows={2} defaultValue={ARABIC} />
      </State>
      <State label="long" size="narrow">
        <Field label={LONG} name="long" defaultValue={LONG} hint={LONG} error={LONG} />
      </State>
    </Piece>
    <Piece name="Theirs" about="What somebody else has written into a field that is being changed.">
      <State label="below its field">
        <Field label="Name" name="name" defaultValue="Prices">
          <Theirs value="Prices and delivery" onTake={idle} />
        </Field>
      </State>
      <State label="emptied">
        <Theirs value="" onTake={idle} />
      </State>
      <State label="right to left">
        <Theirs value={ARABIC} onTake={idle} />
      </State>
      <State label="long" size="narrow">
        <Theirs value={LONG} onTake={idle} />
      </State>
    </Piece>
    <Piece name="SearchField" about="Looks for words; the list follows when there is a pause.">
      <State label="empty">
        <SearchField label="Search leads" value="" maxLength={MAX_QUERY} onSearch={idle} />
      </State>
      <State label="typed">
        <SearchField label="Search leads" value="ada@example.com" maxLength={MAX_QUERY} onSearch={idle} />
      </State>
      <State label="focused" pretended="focus-visible">
        <SearchField label="Search leads" value="ada" maxLength={MAX_QUERY} onSearch={idle} />
      </State>
      <State label="narrow" size="narrow">
        <SearchField
          label="Search conversations, leads and notes"
          value=""
          maxLength={MAX_QUERY}
          onSearch={idle}
        />
      </State>
    </Piece>
    <Piece name="Select" about="One of several that need no explanation.">
      <State label="idle">
        <Select label="State" value="" options={SORTS} onChoose={idle} />
      </State>
      <State label="focused" pretended="focus-visible">
        <Select label="State" value="failed" options={SORTS} onChoose={idle} />
      </State>
      <State label="a value that is none of them">
        <Select label="State" value="archived" options={SORTS} onChoose={idle} />
      </State>
      <State label="long" size="narrow">
        <Select label="Member" value="long" options={[['long', LONG]]} onChoose={idle} />
      </State>
    </Piece>
    <Piece name="Form" about="Fields that are sent together: what was typed stays when it is refused.">
      <State label="idle">
        <NewWebhook />
      </State>
      <State label="busy">
        <NewWebhook isBusy />
      </State>
      <State label="refused">
        <NewWebhook message="There are 100 webhooks already." />
      </State>
    </Piece>
    <Piece name="Copyable" about="Text to take along, such as a secret that is shown once.">
      <State label="a secret">
        <Copyable label="Token" text="pat_0123456789abcdef0123456789abcdef01234567" />
      </State>
      <State label="lines of a program">
        <Copyable
          isCode
          label="Tag"
          text={'<script async\n  src="https://chat.example.com/widget.js"\n  data-token="4711"></script>'}
        />
      </State>
    </Piece>
  </>
);
