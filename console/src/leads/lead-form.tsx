import { MAX_EMAIL, MAX_NICKNAME, MAX_PHONE } from '@parlor/shared/limits';
import { leadWords } from '../locale/leads.ts';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { type Edit, hasChanges } from '../ui/edit.ts';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { Theirs } from '../ui/theirs.tsx';
import { useForm } from '../ui/use-form.ts';
import { type Contact, FIELDS } from './contact.ts';
import styles from './lead-panel.module.css';
import type { LeadEdits } from './use-lead.ts';

const TYPES = { nickname: 'text', email: 'email', phone_number: 'tel' } as const;
const LENGTHS = { nickname: MAX_NICKNAME, email: MAX_EMAIL, phone_number: MAX_PHONE } as const;

/** Who a lead is, to be changed; what somebody else changes meanwhile is told, and never overwritten unseen. */
export const LeadForm = ({ edit, edits }: { edit: Edit<Contact>; edits: LeadEdits }) => {
  const t = leadWords.value;
  const { said, type, take, discard, save } = edits;
  const isDisputed = Object.keys(edit.theirs).length > 0;
  const { onSubmit, isBusy, message, fields } = useForm(save);
  return (
    <form class={styles.form} onSubmit={onSubmit} noValidate>
      <h3>{t.contact}</h3>
      {isDisputed && <Notice kind="plain">{t.others}</Notice>}
      {FIELDS.map((name) => {
        return (
          <Field
            key={name}
            name={name}
            label={t.names[name]}
            type={TYPES[name]}
            maxLength={LENGTHS[name]}
            autocomplete="off"
            value={edit.mine[name]}
            error={fields[name]}
            onInput={({ currentTarget }) => type(name, currentTarget.value)}
          >
            <Theirs value={edit.theirs[name]} onTake={() => take(name)} />
          </Field>
        );
      })}
      <Notice>{message}</Notice>
      {hasChanges(edit) && (
        <div class={styles.actions}>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {words.value.common.save}
          </Button>
          <Button kind="quiet" onClick={discard}>
            {t.discard}
          </Button>
        </div>
      )}
      {said === 'saved' && <Notice kind="good">{words.value.common.saved}</Notice>}
      {said === 'updated' && <Notice kind="plain">{t.updated}</Notice>}
    </form>
  );
};
