import type { Delivery, DeliveryState } from '@parlor/shared';
import { ApiError, ask, askPage } from '../api/client.ts';
import { dayQuery } from '../ui/days.ts';

/** What a delivery said has been erased, or its webhook is gone. */
const CONFLICT = 409;

/** Sends the event of a delivery once more. @throws ApiError */
export const redeliver = ({ id }: Delivery): Promise<Delivery> =>
  ask<Delivery>('POST', `deliveries/${id}/redeliver/`);

/** Every delivery of a webhook in a state, newest first, from a day on. */
async function* deliveriesIn(webhook: string, state: DeliveryState, start = ''): AsyncGenerator<Delivery> {
  const query = new URLSearchParams({ state, limit: '200', ...dayQuery({ start, end: '' }) });
  let path: string | undefined = `webhooks/${webhook}/deliveries/?${query}`;
  while (path !== undefined) {
    const page: { items: Delivery[]; next: string | undefined } = await askPage<Delivery>(path);
    yield* page.items;
    path = page.next;
  }
}

/** The failed deliveries of events that were not delivered by another one meanwhile, each event once. */
const unsettled = async (webhook: string): Promise<Delivery[]> => {
  const failed = new Map<string, Delivery>();
  let first = '';
  for await (const delivery of deliveriesIn(webhook, 'failed')) {
    failed.set(delivery.event_id, failed.get(delivery.event_id) ?? delivery);
    first = delivery.created_at.slice(0, 10);
  }
  if (failed.size === 0) return [];
  for (const state of ['delivered', 'pending'] as const) {
    for await (const { event_id } of deliveriesIn(webhook, state, first)) failed.delete(event_id);
  }
  return [...failed.values()].reverse();
};

/**
 * Sends all that has failed and was not delivered since once more, the oldest first.
 * @param onSent called with how many were sent
 * @param isStopped ends it before the next one
 * @throws ApiError
 */
export const redeliverAll = async (
  webhook: string,
  onSent: (sent: number) => void,
  isStopped: () => boolean,
): Promise<void> => {
  let sent = 0;
  for (const delivery of await unsettled(webhook)) {
    if (isStopped()) return;
    try {
      await redeliver(delivery);
      onSent(++sent);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== CONFLICT) throw error;
    }
  }
};
