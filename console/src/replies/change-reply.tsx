import type { NewReply, Reply } from '@parlor/shared';
import { MAX_MESSAGE, MAX_REPLY_NAME, MAX_SHORTCUT } from '@parlor/shared/limits';
import { useState } from 'preact/hooks';
import { ApiError, ask } from '../api/client.ts';
import { members } from '../inbox/people.ts';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/notice.tsx';
import { Select } from '../ui/select.tsx';
import { useForm, valuesOf } from '../ui/use-form.ts';
import { beginReply, forgetReply, keepReply } from './kept-reply.ts';
import styles from './replies.module.css';

const asTags = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

const asReply = ({ name, shortcut, body, tags, assignee, status }: Readonly<Record<string, string>>) => ({
  name: name?.trim(),
  shortcut: shortcut?.trim().replace(/^\//, ''),
  body,
  tags: asTags(tags ?? ''),
  assignee: assignee || null,
  status: (status || null) as NewReply['status'],
});

/** A saved reply in a form: a new one, or one that is there. What is written is kept until it is saved or closed. */
export const ChangeReply = ({
  reply,
  onClose,
  onChanged,
}: {
  reply: Reply | undefined;
  onClose(): void;
  onChanged(): void;
}) => {
  const t = words.value.replies;
  const [isAsking, setAsking] = useState(false);
  const [begun] = useState(() => beginReply(reply));
  const close = () => {
    forgetReply(reply);
    onClose();
  };
  const form = useForm(async (values) => {
    await (reply
      ? ask('PATCH', `replies/${reply.uuid}/`, asReply(values))
      : ask('POST', 'replies/', asReply(values)));
    onChanged();
    close();
  });
  const removal = useForm(async () => {
    await ask('DELETE', `replies/${reply?.uuid}/`).catch((error) => {
      // Somebody else has just done it.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    });
    onChanged();
    close();
  });
  const { fields } = form;
  const people = members.value.map(({ uuid, name }) => [uuid, name] as const);
  return (
    <Dialog title={reply ? t.change : t.add} onClose={close}>
      <Form
        form={form}
        error={fields.assignee || fields.status}
        submit={words.value.common.save}
        onInput={(event) => keepReply(reply, valuesOf(event.currentTarget))}
      >
        <Field
          label={t.name}
          name="name"
          autofocus
          maxLength={MAX_REPLY_NAME}
          defaultValue={begun.name}
          error={fields.name}
        />
        <Field
          label={t.shortcut}
          hint={t.shortcutHint}
          name="shortcut"
          isVerbatim
          autocomplete="off"
          maxLength={MAX_SHORTCUT + 1}
          defaultValue={begun.shortcut}
          error={fields.shortcut}
        />
        <Field
          label={t.body}
          hint={t.bodyHint}
          name="body"
          rows={5}
          maxLength={MAX_MESSAGE}
          defaultValue={begun.body}
          error={fields.body}
        />
        <fieldset class={styles.effects}>
          <legend>{t.effects}</legend>
          <Field
            label={t.tags}
            hint={t.tagsHint}
            name="tags"
            autocomplete="off"
            defaultValue={begun.tags}
            error={fields.tags}
          />
          <Select
            label={t.assignee}
            name="assignee"
            value={begun.assignee}
            options={[['', t.asItIs], ...people]}
          />
          <Select
            label={t.status}
            name="status"
            value={begun.status}
            options={[
              ['', t.asItIs],
              ['open', t.statuses.open],
              ['done', t.statuses.done],
            ]}
          />
        </fieldset>
      </Form>
      {reply && (
        <form class={styles.removal} onSubmit={removal.onSubmit}>
          <Notice>{removal.message}</Notice>
          {isAsking ? (
            <Button type="submit" kind="danger" isBusy={removal.isBusy}>
              {t.reallyRemove}
            </Button>
          ) : (
            <Button kind="quiet" onClick={() => setAsking(true)}>
              {words.value.common.remove}
            </Button>
          )}
        </form>
      )}
    </Dialog>
  );
};
