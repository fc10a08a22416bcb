import type { EventName, Webhook } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { useCreation } from '../api/create.ts';
import { webhookWords } from '../locale/webhooks.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { useForm } from '../ui/use-form.ts';
import { EventChoice } from './event-choice.tsx';

/** Subscribes an address to one or several events. */
export const AddWebhook = ({
  onClose,
  onAdded,
}: {
  onClose(): void;
  onAdded(webhooks: readonly Webhook[]): void;
}) => {
  const t = webhookWords.value;
  const [events, setEvents] = useState<readonly EventName[]>([]);
  const [isMissing, setMissing] = useState(false);
  const { create } = useCreation();
  const form = useForm(async ({ target = '' }) => {
    setMissing(events.length === 0);
    if (events.length === 0) return;
    const added: Webhook[] = [];
    for (const event of events) {
      try {
        added.push(await create<Webhook>('webhooks/', { event, target: target.trim() }));
      } catch (error) {
        // What is there already is not asked for again.
        setEvents(events.slice(added.length));
        if (!(error instanceof ApiError) || added.length === 0) throw error;
        onAdded([]);
        throw new ApiError(
          error.status,
          `${t.notAll(events.slice(added.length).join(', '))} ${error.message}`,
        );
      }
    }
    onClose();
    onAdded(added);
  });
  return (
    <Dialog title={t.add} onClose={onClose}>
      <Form form={form} submit={t.create}>
        <Field
          label={t.target}
          hint={t.targetHint}
          name="target"
          type="url"
          autocomplete="off"
          isVerbatim
          autofocus
          error={form.fields.target}
        />
        <EventChoice
          type="checkbox"
          chosen={events}
          hint={t.eventsHint}
          error={isMissing && events.length === 0 ? t.eventsMissing : undefined}
          onChange={(event, isChosen) =>
            setEvents(isChosen ? [...events, event] : events.filter((one) => one !== event))
          }
        />
      </Form>
    </Dialog>
  );
};
