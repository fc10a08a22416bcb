import type { Delivery, DeliveryState, EventName, TestDelivery } from '@parlor/shared';
import { isoDatetime } from '../../database/document.ts';
import { indexesServing } from '../../database/fewest.ts';
import { insertOnce } from '../../database/insert.ts';
import { type Page, readPages, type Steps } from '../../database/pages.ts';
import { notFound, ParlorError } from '../../platform/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import { type DeliveryModel, isErased, type StoredDelivery } from './deliveries.model.ts';
import { deliveryBody } from './delivery-body.ts';
import type { KnownWebhook, KnownWebhooks } from './known-webhooks.ts';
import { sampleData } from './samples.ts';
import type { Sender } from './sender.ts';
import { TestSends } from './test-sends.ts';
import type { WebhooksService } from './webhooks.service.ts';

/** Redeliveries that go out at once; more wait for their turn in the queue. */
const MAX_AT_ONCE = 64;

/** The body alone may have 2 MiB. */
const WITHOUT_BODY = { body: 0 } as const;

/** A delivery as the log shows it; with an empty body where its words have been erased. */
type PlainDelivery = Omit<StoredDelivery, keyof typeof WITHOUT_BODY> & { body?: '' };

/** What narrows a list of deliveries. */
export interface DeliveryFilter {
  webhook?: string | undefined;
  state?: DeliveryState | undefined;
  event?: EventName | undefined;
}

interface Parts {
  deliveries: DeliveryModel;
  webhooks: Pick<WebhooksService, 'get'>;
  knownWebhooks: KnownWebhooks;
  sender: Pick<Sender, 'notify' | 'sendNow' | 'sendOnce' | 'takenOverAfter'>;
}

/** The log of deliveries, redelivery and test sends (docs/contract.md#delivery). */
export class DeliveriesService {
  readonly #parts: Parts;
  readonly #testSends = new TestSends();
  #atOnce = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Newest first; also those of webhooks that are gone. */
  list(account: string, { webhook, state, event }: DeliveryFilter, page: Page): Steps<StoredDelivery> {
    const { deliveries } = this.#parts;
    const filter = { account, ...(webhook && { webhook }), ...(state && { state }), ...(event && { event }) };
    const indexes = indexesServing(deliveries, filter, 'created_at');
    return readPages(deliveries, filter, 'created_at', page, { without: WITHOUT_BODY, indexes });
  }

  /** @throws ParlorError `not_found` when the account never had such a webhook, as far as the log goes back. */
  async *listOf(account: string, webhook: string, filter: DeliveryFilter, page: Page): Steps<StoredDelivery> {
    const steps = this.list(account, { ...filter, webhook }, page);
    const first = await steps.next();
    if (!first.done) {
      yield first.value;
      return yield* steps;
    }
    if (first.value) return first.value;
    const any = await this.#parts.deliveries.findOne({ account, webhook }, { _id: 1 }).lean();
    if (!any) await this.#parts.webhooks.get(account, webhook);
    return undefined;
  }

  /** A delivery without its body. @throws ParlorError `not_found`, also for another account's delivery. */
  async get(account: string, id: string): Promise<PlainDelivery> {
    const { deliveries } = this.#parts;
    const found = await deliveries.findOne({ _id: id, account }, WITHOUT_BODY).lean<PlainDelivery>();
    if (!found) throw notFound();
    const isEmptied = await deliveries.exists({ _id: id, account, body: '' });
    return isEmptied ? Object.assign(found, { body: '' as const }) : found;
  }

  /**
   * A delivery with its body, which may have 2 MiB: for a few at once.
   * @throws ParlorError `not_found`, also for another account's delivery.
   */
  async whole(account: string, id: string): Promise<StoredDelivery> {
    const delivery = await this.#parts.deliveries.findOne({ _id: id, account }).lean<StoredDelivery>();
    if (!delivery) throw notFound();
    return delivery;
  }

  /**
   * Sends the event of a delivery once more, the same bytes under the same webhook-id, to the webhook's
   * current target: at once, whatever waits there. As `whole`, for a few at once.
   * @param webhook the webhook that it must belong to, if given
   * @throws ParlorError `not_found`; `conflict` when its webhook is gone or its words have been erased
   */
  async redeliver(account: string, id: string, webhook?: string, uuid = newUuid()): Promise<StoredDelivery> {
    const original = await this.whole(account, id);
    if (webhook !== undefined && original.webhook !== webhook) throw notFound();
    if (isErased(original)) throw new ParlorError('conflict', 'What this delivery said has been erased.');
    const knownWebhook = await this.#known(original.webhook);
    // Another account's may have come with the same uuid since an import brought the delivery.
    if (knownWebhook?.account !== account)
      throw new ParlorError('conflict', 'The webhook of this delivery has been deleted.');
    const now = Date.now();
    const isAtOnce = this.#atOnce < MAX_AT_ONCE;
    const delivery: StoredDelivery = {
      _id: uuid,
      account,
      event_id: original.event_id,
      event: original.event,
      webhook: original.webhook,
      subscription: original.subscription,
      body: original.body,
      ...(original.subject !== undefined && { subject: original.subject }),
      state: 'pending',
      created_at: new Date(now),
      event_at: original.event_at ?? original.created_at,
      tries: 0,
      attempts: [],
      queue: original.webhook,
      due_at: new Date(isAtOnce ? now + this.#parts.sender.takenOverAfter : now),
      sequence: uuid,
    };
    const { stored, isNew } = await insertOnce(this.#parts.deliveries, delivery);
    if (isNew) {
      await this.#parts.sender.notify(knownWebhook.origin, knownWebhook.id);
      if (isAtOnce) this.#sendAtOnce(delivery);
    }
    return stored;
  }

  /**
   * Sends a sample of the webhook's event, and waits for what comes of it; the log does not show it.
   * @throws ParlorError `not_found`; `throttled` when too many of these are under way
   */
  async test(account: string, webhook: string): Promise<TestDelivery> {
    await this.#parts.webhooks.get(account, webhook);
    const knownWebhook = await this.#known(webhook);
    if (!knownWebhook) throw notFound();
    const { event, target } = knownWebhook;
    const body = deliveryBody(sampleData(event), { uuid: webhook, event, target });
    const attempt = await this.#testSends.run(account, () =>
      this.#parts.sender.sendOnce(knownWebhook, newUuid(), body),
    );
    const { status, duration_ms, error, response } = attempt;
    return { delivered: error === null, status, duration_ms, error, response };
  }

  #known(webhook: string): Promise<KnownWebhook | undefined> {
    this.#parts.knownWebhooks.forget(webhook);
    return this.#parts.knownWebhooks.get(webhook);
  }

  #sendAtOnce(delivery: StoredDelivery): void {
    this.#atOnce++;
    void this.#parts.sender.sendNow(delivery.webhook, delivery).finally(() => {
      this.#atOnce--;
    });
  }
}

const isoOrNull = (date: Date | undefined): string | null => (date ? isoDatetime(date) : null);

/** A delivery as the log shows it (docs/contract.md#delivery). */
export const presentDelivery = (delivery: Omit<StoredDelivery, 'body'> & { body?: string }): Delivery => ({
  id: delivery._id,
  event_id: delivery.event_id,
  event: delivery.event,
  webhook: delivery.subscription,
  state: delivery.state,
  created_at: isoDatetime(delivery.created_at),
  next_attempt_at: isoOrNull(delivery.due_at),
  attempts: delivery.attempts.map(({ at, status, duration_ms, error, response }) => ({
    at: isoDatetime(at),
    status,
    duration_ms,
    error,
    // What a target answers may quote what it was sent, also in an attempt that came to its end after the erasure.
    response: isErased(delivery) ? '' : response,
  })),
});
