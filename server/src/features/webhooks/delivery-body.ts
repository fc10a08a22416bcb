import type { EventName, Webhook } from '@parlor/shared';
import { v5 } from 'uuid';
import { type OutboxEvent, subjectOf } from '../../events/events.ts';
import type { StoredDelivery } from './deliveries.model.ts';

/**
 * The exact text of a delivery (docs/contract.md#delivery): `{"data":…,"webhook":{"uuid","event","target"}}`.
 * It is made once and stored, so that every attempt sends the same bytes.
 */
export const deliveryBody = (data: object, { uuid, event, target }: Webhook): string =>
  JSON.stringify({ data, webhook: { uuid, event, target } });

/**
 * The webhook-id of an event for a webhook: a name-based UUID (RFC 9562, 5.5), so that whoever makes the
 * delivery a second time makes the same one.
 */
export const eventIdFor = (event: string, webhook: string): string => v5(event, webhook);

/** The webhook that a delivery is made for. */
interface Target {
  _id: string;
  event: EventName;
  target: string;
}

/** The row that sends `event` to a webhook; due since the event happened. */
export const newDelivery = (
  event: OutboxEvent,
  { _id, event: name, target }: Target,
  now = new Date(),
): StoredDelivery => {
  const webhook = { uuid: _id, event: name, target };
  const id = eventIdFor(event.id, _id);
  return {
    _id: id,
    account: event.account,
    event_id: id,
    event: name,
    webhook: _id,
    subscription: webhook,
    body: deliveryBody(event.data, webhook),
    subject: subjectOf(event),
    state: 'pending',
    created_at: now,
    event_at: event.said_at ?? event.at,
    tries: 0,
    attempts: [],
    queue: _id,
    // Never in the future, whatever the clock of the process that wrote the event said.
    due_at: event.at < now ? event.at : now,
    sequence: event.id,
  };
};
