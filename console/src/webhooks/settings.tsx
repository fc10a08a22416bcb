import type { NewWebhook, Webhook } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { ApiError, CHANGED_SINCE, type Tagged } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { webhookWords } from '../locale/webhooks.ts';
import { Section } from '../shell/page.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { useForm } from '../ui/use-form.ts';
import { EventChoice } from './event-choice.tsx';

/** Which event goes to which address; what somebody else has changed meanwhile is never overwritten unseen. */
export const Settings = ({
  webhook: { object, etag },
  onChange,
  onStale,
}: {
  webhook: Tagged<Webhook>;
  /** @throws ApiError, with the status 412 where somebody else has changed it since */
  onChange(wanted: Partial<NewWebhook>, etag: string): Promise<void>;
  /** Shows it as it stands now. @throws ApiError */
  onStale(): Promise<void>;
}) => {
  const t = webhookWords.value;
  const [event, setEvent] = useState(object.event);
  const [isStale, setStale] = useState(false);
  const form = useForm(async ({ target = '' }) => {
    try {
      await onChange({ event, target: target.trim() }, etag);
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
      <Form form={form} kind="plain" submit={words.value.common.save}>
        <Field
          label={t.target}
          name="target"
          type="url"
          autocomplete="off"
          isVerbatim
          defaultValue={object.target}
          error={form.fields.target}
        />
        <EventChoice type="radio" chosen={[event]} onChange={setEvent} />
        {isStale && <Notice>{t.changedSince(`${object.event}, ${object.target}`)}</Notice>}
      </Form>
    </Section>
  );
};
