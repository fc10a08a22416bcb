import type { Lead } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, askTagged, type Tagged } from '../api/client.ts';
import { leadWords } from '../locale/leads.ts';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { changesOf, type Edit, editOf, isSame, rebase } from '../ui/edit.ts';
import { Field } from '../ui/field.tsx';
import { keepEdit, keptEdit } from '../ui/kept-edit.ts';
import { Notice } from '../ui/notice.tsx';
import { useForm } from '../ui/use-form.ts';
import { type Contact, contactOf, FIELDS } from './contact.ts';
import { pathOf } from './lead-list.ts';
import styles from './lead-panel.module.css';

const TYPES = { nickname: 'text', email: 'email', phone_number: 'tel' } as const;
const LENGTHS = { nickname: 150, email: 254, phone_number: 32 } as const;

const CHANGED_SINCE = 412;

/** What stands at first: the lead, with what was typed before and not saved. */
const begin = (lead: Lead): Edit<Contact> => {
  const kept = keptEdit<Contact>('lead', lead.uuid);
  return kept ? rebase(kept, contactOf(lead)) : editOf(contactOf(lead));
};

/** Who a lead is, to be changed; what somebody else changes meanwhile is told, and never overwritten unseen. */
export const LeadForm = ({
  lead: { object: lead, etag },
  onChanged,
  onStale,
}: {
  lead: Tagged<Lead>;
  onChanged(lead: Tagged<Lead>): void;
  /** It has changed since it was read. */
  onStale(): Promise<void>;
}) => {
  const t = leadWords.value;
  const [written, setEdit] = useState(() => begin(lead));
  // Never sent is what was written over an older state than the one that the entity tag names.
  const edit = isSame(written.base, contactOf(lead)) ? written : rebase(written, contactOf(lead));
  const [said, setSaid] = useState<'saved' | 'updated' | undefined>();
  const isChanged = Object.keys(changesOf(edit)).length > 0;
  const isDisputed = Object.keys(edit.theirs).length > 0;

  useEffect(() => {
    if (edit === written) return;
    // What comes back of what was saved here is no news.
    if (!isSame(edit.mine, written.mine)) setSaid('updated');
    setEdit(edit);
  }, [lead]);
  useEffect(() => keepEdit('lead', lead.uuid, isChanged ? edit : undefined), [edit]);

  const { onSubmit, isBusy, message, fields } = useForm(async () => {
    setSaid(undefined);
    try {
      const saved = await askTagged<Lead>('PATCH', pathOf(lead), changesOf(edit), {
        headers: { 'If-Match': etag },
      });
      setEdit(editOf(contactOf(saved.object)));
      setSaid('saved');
      onChanged(saved);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== CHANGED_SINCE) throw error;
      await onStale();
    }
  });

  const type = (name: (typeof FIELDS)[number], value: string) => {
    setSaid(undefined);
    setEdit({ ...edit, mine: { ...edit.mine, [name]: value } });
  };
  const take = (name: (typeof FIELDS)[number]) => {
    const { [name]: value = '', ...theirs } = edit.theirs;
    setEdit({ ...edit, theirs, mine: { ...edit.mine, [name]: value } });
  };

  return (
    <form class={styles.form} onSubmit={onSubmit} noValidate>
      <h3>{t.contact}</h3>
      {isDisputed && <Notice kind="plain">{t.others}</Notice>}
      {FIELDS.map((name) => {
        const theirs = edit.theirs[name];
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
            {theirs !== undefined && (
              <p class={styles.theirs}>
                <span dir="auto">{theirs === '' ? t.theirsEmpty : t.theirs(theirs)}</span>
                <Button onClick={() => take(name)}>{t.take}</Button>
              </p>
            )}
          </Field>
        );
      })}
      <Notice>{message}</Notice>
      {isChanged && (
        <div class={styles.actions}>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {words.value.common.save}
          </Button>
          <Button kind="quiet" onClick={() => setEdit(editOf(contactOf(lead)))}>
            {t.discard}
          </Button>
        </div>
      )}
      {said === 'saved' && <Notice kind="good">{words.value.common.saved}</Notice>}
      {said === 'updated' && <Notice kind="plain">{t.updated}</Notice>}
    </form>
  );
};
