import { MAX_MESSAGE, MAX_REPLY_NAME, MAX_SHORTCUT } from '@parlor/shared/limits';
import { members } from '../inbox/people.ts';
import { words } from '../locale/locale.ts';
import type { Edit } from '../ui/edit.ts';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/notice.tsx';
import { Select } from '../ui/select.tsx';
import { Theirs } from '../ui/theirs.tsx';
import type { useForm } from '../ui/use-form.ts';
import type { Fields } from './kept-reply.ts';
import styles from './replies.module.css';

/** The fields of a saved reply, each with what somebody else has made of it meanwhile. */
export const ReplyForm = ({
  form,
  edit,
  type,
  take = () => undefined,
}: {
  form: ReturnType<typeof useForm>;
  edit: Edit<Fields>;
  type(name: keyof Fields, value: string): void;
  take?(name: keyof Fields): void;
}) => {
  const t = words.value.replies;
  const { fields } = form;
  const people = members.value.map(({ uuid, name }) => [uuid, name] as const);
  const choices = {
    assignee: [['', t.asItIs], ...people] as const,
    status: [
      ['', t.asItIs],
      ['open', t.statuses.open],
      ['done', t.statuses.done],
    ] as const,
  };
  const text = (name: 'name' | 'shortcut' | 'body' | 'tags') => ({
    name,
    label: t[name],
    value: edit.mine[name],
    error: fields[name],
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => type(name, currentTarget.value),
    children: <Theirs value={edit.theirs[name]} onTake={() => take(name)} />,
  });
  const choice = (name: 'assignee' | 'status') => {
    const theirs = edit.theirs[name];
    const shown = theirs && (choices[name].find(([value]) => value === theirs)?.[1] ?? theirs);
    return (
      <Select
        label={t[name]}
        name={name}
        value={edit.mine[name]}
        options={choices[name]}
        onChoose={(value) => type(name, value)}
      >
        <Theirs value={theirs === '' ? t.asItIs : shown} onTake={() => take(name)} />
      </Select>
    );
  };
  return (
    <Form form={form} error={fields.assignee || fields.status} submit={words.value.common.save}>
      {Object.keys(edit.theirs).length > 0 && <Notice kind="plain">{words.value.edits.others}</Notice>}
      <Field {...text('name')} autofocus maxLength={MAX_REPLY_NAME} />
      <Field
        {...text('shortcut')}
        hint={t.shortcutHint}
        isVerbatim
        autocomplete="off"
        maxLength={MAX_SHORTCUT + 1}
      />
      <Field {...text('body')} hint={t.bodyHint} rows={5} maxLength={MAX_MESSAGE} />
      <fieldset class={styles.effects}>
        <legend>{t.effects}</legend>
        <Field {...text('tags')} hint={t.tagsHint} autocomplete="off" />
        {choice('assignee')}
        {choice('status')}
      </fieldset>
    </Form>
  );
};
