import { EVENT_NAMES } from '@parlor/shared';
import pLimit from 'p-limit';
import type { DiskReserve } from '../../database/disk-reserve.ts';
import { insertMissing } from '../../database/insert.ts';
import { diskNearlyFull } from '../../database/unavailable.ts';
import type { OutboxEvent } from '../../events/events.ts';
import type { EventConsumer } from '../../events/relay.ts';
import { partsOf } from '../../platform/parts.ts';
import type { DeliveryModel } from './deliveries.model.ts';
import { newDelivery } from './delivery-body.ts';
import type { Sender } from './sender.ts';
import { originOf } from './target.ts';
import type { StoredWebhook, WebhookModel } from './webhooks.model.ts';

/**
 * So much is written with one command: a disk that has no room for all of them may have some for the first, and no more than
 * this is taken of the reserve.
 */
const PART_BYTES = 1024 * 1024;

/** What a delivery takes besides its body. */
const ROW_BYTES = 1024;

/** So many parts are in memory at a time, whatever the number of accounts. */
const writeTogether = pLimit(4);

/** A delivery that is to be made. */
interface WantedDelivery {
  event: OutboxEvent;
  webhook: StoredWebhook;
  bytes: number;
}

/**
 * Turns events into deliveries: one for each webhook that existed when the event happened, with an id that
 * derives from both, so that a second time changes nothing (docs/contract.md#delivery).
 */
export const createDeliveries = ({
  webhooks,
  deliveries,
  sender,
  diskReserve,
}: {
  webhooks: WebhookModel;
  deliveries: DeliveryModel;
  sender: Pick<Sender, 'notify'>;
  /** Is left to signing in and deleting: what is to be sent waits in its event meanwhile. */
  diskReserve?: Pick<DiskReserve, 'isReachedNow'> | undefined;
}): { consume: EventConsumer } => {
  const webhooksFor = (events: readonly OutboxEvent[]): Promise<StoredWebhook[]> => {
    const account = { $in: [...new Set(events.map((event) => event.account))] };
    // Some events are for realtime clients only.
    const names = EVENT_NAMES.filter((name) => events.some((event) => event.name === name));
    if (names.length === 0) return Promise.resolve([]);
    const event = { $in: names };
    // Past mongoose, as every round of the relay asks this.
    const projection = { account: 1, event: 1, target: 1, since: 1 };
    return webhooks.collection.find({ account, event }, { projection }).toArray() as never;
  };

  const consume: EventConsumer = async (events) => {
    const wanted = await webhooksFor(events);
    const now = new Date();
    // What begins later than now is older than a clock that was put back, or of a process whose clock is ahead.
    const matches = (event: OutboxEvent, { account, event: name, since }: StoredWebhook): boolean =>
      account === event.account && name === event.name && (since <= event.at || since > now);

    // One after another: an account that an older version has read in may have any number of webhooks.
    function* all(): Generator<WantedDelivery> {
      for (const event of events) {
        const matching = wanted.filter((webhook) => matches(event, webhook));
        if (matching.length === 0) continue;
        const bytes = Buffer.byteLength(JSON.stringify(event.data)) + ROW_BYTES;
        for (const webhook of matching) yield { event, webhook, bytes };
      }
    }
    for (const part of partsOf(all(), ({ bytes }) => bytes, PART_BYTES)) {
      await writeTogether(() => write(part));
      const waiting = new Set(part.map(({ webhook }) => webhook));
      await Promise.all([...waiting].map(({ _id, target }) => sender.notify(originOf(target), _id)));
    }
  };

  const write = async (part: readonly WantedDelivery[]): Promise<void> => {
    if (await diskReserve?.isReachedNow()) throw diskNearlyFull();
    await insertMissing(
      deliveries,
      part.map(({ event, webhook }) => newDelivery(event, webhook)),
    );
  };

  return { consume };
};
