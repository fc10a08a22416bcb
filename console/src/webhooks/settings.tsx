import type { Webhook } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { ApiError, askTagged, type Tagged } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { webhookWords } from '../locale/webhooks.ts';
import { Section } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { useForm } from '../ui/use-form.ts';
import { EventChoice } from './event-choice.tsx';

const CHANGED_SINCE = 412;

/** Which event goes to which address; what somebody else has changed meanwhile is never overwritten unseen. */
export const Settings = ({
  webhook: { object, etag },
  onChanged,
  onStale,
}: {
  webhook: Tagged<Webhook>;
  onChanged(webhook: Tagged<Webhook>): void;
  onStale(): Promise<void>;
}) => {
  const t = webhookWords.value;
  const [event, setEvent] = useState(object.event);
  const [isStale, setStale] = useState(false);
  const { onSubmit, isBusy, message, fields } = useForm(async ({ target = '' }) => {
    const wanted = { event, target: target.trim() };
    try {
      const headers = { 'If-Match': etag };
      onChanged(await askTagged<Webhook>('PATCH', `webhooks/${object.uuid}/`, wanted, { headers }));
      setStale(false);
      toast(words.value.common.saved);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== CHANGED_SINCE) throw error;
      await onStale();
      setStale(true);
    }
  });
  return (
    <Section title={t.settings}>
      <form onSubmit={onSubmit} noValidate>
        <Field
          label={t.target}
          name="target"
          type="url"
          autocomplete="off"
          isVerbatim
          defaultValue={object.target}
          error={fields.target}
        />
        <EventChoice type="radio" chosen={[event]} onChange={setEvent} />
        <Notice>{message}</Notice>
        {isStale && <Notice>{t.changedSince(`${object.event}, ${object.target}`)}</Notice>}
        <Button type="submit" isBusy={isBusy}>
          {words.value.common.save}
        </Button>
      </form>
    </Section>
  );
};
