import type { EventName } from '@parlor/shared';
import { findBy } from '../../database/find-by.ts';
import { placeOf, type Secrets } from '../../platform/secrets.ts';
import { previousSecrets } from './previous-secrets.ts';
import { type Sign, signWith } from './signing.ts';
import { originOf } from './target.ts';
import type { StoredWebhook, WebhookModel } from './webhooks.model.ts';

/** What the sender knows of a webhook. */
export interface KnownWebhook {
  id: string;
  account: string;
  target: string;
  origin: string;
  event: EventName;
  sign: Sign;
  isFailing: boolean;
}

/**
 * How long a webhook is believed to be as it was read. Changes made by this process are known at once; those of
 * another one as late as this. One in use is read ahead, so that no attempt waits for it.
 */
const BELIEVED_FOR_MS = 250;
const READ_AHEAD_AFTER_MS = 100;

/** A webhook that is ending is waited for no longer than this, in milliseconds. */
const HELD_AT_MOST_MS = 5_000;

interface Known {
  knownWebhook: Promise<KnownWebhook | undefined>;
  /** When it was asked for, since what came back may be as old, on a clock that only goes forward. */
  since: number;
  isReadAhead: boolean;
}

/** Webhooks as they stand at the moment of an attempt; reads that come together are one query. */
export class KnownWebhooks {
  readonly #find: (id: string) => Promise<StoredWebhook | undefined>;
  readonly #secrets: Secrets;
  readonly #known = new Map<string, Known>();
  /** What lets those go on who ask for a webhook that is ending. */
  readonly #held = new Map<string, { ended: Promise<void>; release: () => void }>();

  constructor(webhooks: WebhookModel, secrets: Secrets) {
    this.#find = findBy(webhooks, '_id', { events: 0 });
    this.#secrets = secrets;
  }

  /** The webhook, or undefined when there is none any more. */
  get(id: string): Promise<KnownWebhook | undefined> {
    const held = this.#held.get(id);
    if (held) return held.ended.then(() => this.get(id));
    const known = this.#known.get(id);
    const age = known ? performance.now() - known.since : Number.POSITIVE_INFINITY;
    if (!known || age > BELIEVED_FOR_MS) {
      const asked = this.#ask(id);
      this.#known.set(id, asked);
      return asked.knownWebhook;
    }
    if (age > READ_AHEAD_AFTER_MS && !known.isReadAhead) {
      known.isReadAhead = true;
      const ahead = this.#ask(id);
      // Unless it was forgotten meanwhile.
      const use = () => void (this.#known.get(id) === known && this.#known.set(id, ahead));
      ahead.knownWebhook.then(use, () => undefined);
    }
    return known.knownWebhook;
  }

  /** Its receiver has said that it is over: whoever asks for it waits until `release`, so that nothing more is sent. */
  hold(id: string): void {
    if (this.#held.has(id)) return;
    let release = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#held.set(id, { ended, release });
    setTimeout(() => this.release(id), HELD_AT_MOST_MS).unref();
  }

  /** It has ended, or goes on after all. */
  release(id: string): void {
    const held = this.#held.get(id);
    this.#held.delete(id);
    this.forget(id);
    held?.release();
  }

  /** To be called when it was changed or deleted. */
  forget(id: string): void {
    this.#known.delete(id);
  }

  #ask(id: string): Known {
    const knownWebhook = this.#find(id).then((webhook) => webhook && this.#understand(webhook));
    const asked: Known = { knownWebhook, since: performance.now(), isReadAhead: false };
    const forget = (): void => {
      if (this.#known.get(id) === asked) this.#known.delete(id);
    };
    setTimeout(forget, BELIEVED_FOR_MS).unref();
    knownWebhook.catch(forget);
    return asked;
  }

  #understand(webhook: StoredWebhook): KnownWebhook {
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
