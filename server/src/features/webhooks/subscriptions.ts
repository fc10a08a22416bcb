import type { EventName } from '@parlor/shared';
import { placeOf, type Secrets } from '../../platform/secrets.ts';
import { previousSecrets } from './previous-secrets.ts';
import { type Sign, signWith } from './signing.ts';
import { originOf } from './target.ts';
import type { StoredWebhook, WebhookModel } from './webhooks.model.ts';

/** What the sender knows of a subscription. */
export interface Subscription {
  id: string;
  account: string;
  event: EventName;
  target: string;
  origin: string;
  sign: Sign;
  isFailing: boolean;
}

/**
 * How long a subscription is believed to be as it was read, and when it is read anew beside what goes on. Changes
 * made by this process are known at once; those of another one as late as this.
 */
const BELIEVED_FOR_MS = 250;
const READ_ANEW_AFTER_MS = 100;

interface Known {
  subscription: Promise<Subscription | undefined>;
  /** When it was asked for, on a clock that only goes forward. */
  since: number;
  isReadAnew: boolean;
}

/** Subscriptions as they stand at the moment of an attempt; reads that come together are one query. */
export class Subscriptions {
  readonly #webhooks: WebhookModel;
  readonly #secrets: Secrets;
  readonly #known = new Map<string, Known>();
  #wanted: string[] = [];
  #reading: Promise<Map<string, Subscription>> | undefined;

  constructor(webhooks: WebhookModel, secrets: Secrets) {
    this.#webhooks = webhooks;
    this.#secrets = secrets;
  }

  /** The subscription, or undefined when there is none any more. */
  get(id: string): Promise<Subscription | undefined> {
    const known = this.#known.get(id);
    const age = known ? performance.now() - known.since : Number.POSITIVE_INFINITY;
    if (!known || age > BELIEVED_FOR_MS) return this.#ask(id);
    if (age > READ_ANEW_AFTER_MS && !known.isReadAnew) {
      known.isReadAnew = true;
      void this.#ask(id, known).catch(() => undefined);
    }
    return known.subscription;
  }

  /** To be called when it was changed or deleted. */
  forget(id: string): void {
    this.#known.delete(id);
  }

  /** @param old what is believed until the answer is there, unless it is forgotten meanwhile */
  #ask(id: string, old?: Known): Promise<Subscription | undefined> {
    this.#wanted.push(id);
    this.#reading ??= Promise.resolve().then(() => this.#read());
    const subscription = this.#reading.then((found) => found.get(id));
    const asked: Known = { subscription, since: performance.now(), isReadAnew: false };
    if (!old) this.#known.set(id, asked);
    const forget = (): void => {
      if (this.#known.get(id) === asked) this.#known.delete(id);
    };
    subscription.then(() => {
      if (old && this.#known.get(id) === old) this.#known.set(id, asked);
      setTimeout(forget, BELIEVED_FOR_MS).unref();
    }, forget);
    return subscription;
  }

  async #read(): Promise<Map<string, Subscription>> {
    const ids = this.#wanted;
    this.#wanted = [];
    this.#reading = undefined;
    const found = await this.#webhooks.find({ _id: { $in: ids } }).lean<StoredWebhook[]>();
    return new Map(found.map((webhook) => [webhook._id, this.#understand(webhook)]));
  }

  #understand(webhook: StoredWebhook): Subscription {
    const { _id, account, event, target } = webhook;
    let sign: Sign | undefined;
    return {
      id: _id,
      account,
      event,
      target,
      origin: originOf(target),
      // Unsealed when the first delivery needs it.
      sign: (...delivery) => {
        sign ??= signWith(this.#signingSecrets(webhook));
        return sign(...delivery);
      },
      isFailing: webhook.failing_since !== undefined,
    };
  }

  #signingSecrets(webhook: StoredWebhook): string[] {
    const previous = previousSecrets(webhook, this.#secrets, new Date());
    return [
      this.#secrets.decrypt(webhook.secret_sealed, placeOf(webhook, 'secret_sealed')),
      ...previous.map(({ secret }) => secret),
    ];
  }
}
