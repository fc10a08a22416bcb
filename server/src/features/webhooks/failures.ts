import type { Logger } from 'pino';
import { ownAction } from '../../events/audit.ts';
import type { AuditedCollection } from '../../events/audited-collection.ts';
import { ignoreMissing } from '../../platform/errors.ts';
import type { Attempt } from './attempt.ts';
import type { KnownWebhook, KnownWebhooks } from './known-webhooks.ts';
import type { RetryDecision } from './retries.ts';
import type { StoredWebhook, WebhookModel } from './webhooks.model.ts';

/**
 * The time and the number of attempts, all failed, after which a webhook is unsubscribed
 * (docs/contract.md#retries).
 */
export const FAILING_FOR_MS = 5 * 86_400_000;
export const FAILED_ATTEMPTS = 20;

/** A longer pause between two attempts counts as one of this: the server was off, or its clock was set. */
const LONGEST_PAUSE_MS = 30 * 3_600_000;

const DAY_MS = 86_400_000;

interface Parts {
  webhooks: WebhookModel;
  audited: AuditedCollection<StoredWebhook>;
  knownWebhooks: Pick<KnownWebhooks, 'forget'>;
  /** Told when a webhook was deleted: drops what waits for it. */
  unsubscribed(webhook: string): Promise<void>;
  log: Logger;
}

/** What the server does by itself. */
const UNSUBSCRIBE = ownAction('system', 'unsubscribeWebhook');

/** Keeps count of the failures of webhooks, and unsubscribes those whose receivers are gone. */
export class Failures {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Whether an attempt that ends its delivery says so for the webhook as it is now: one that has another target by now
   * is still to be asked there. Of one that was answered 410 it is its unsubscription that decides; what waits for it
   * is left to `learn`.
   */
  async isFinal(knownWebhook: KnownWebhook, decision: 'gone' | 'failed'): Promise<boolean> {
    const { id: _id, target } = knownWebhook;
    const { webhooks } = this.#parts;
    if (decision === 'failed') return !(await webhooks.exists({ _id, target: { $ne: target } }));
    if (await this.#unsubscribe({ _id, target }, 'answered 410')) return true;
    return !(await webhooks.exists({ _id }));
  }

  /** What an attempt, which has been recorded, says of its webhook. */
  async learn(
    knownWebhook: KnownWebhook,
    { at }: Pick<Attempt, 'at'>,
    decision: RetryDecision['kind'],
  ): Promise<void> {
    const { id, target, isFailing } = knownWebhook;
    if (decision === 'gone') {
      if (!(await this.#parts.webhooks.exists({ _id: id }))) await this.#parts.unsubscribed(id);
      return;
    }
    if (decision !== 'delivered') return this.#failed(knownWebhook, at);
    if (!isFailing) return;
    const isOver = { $unset: { failing_since: 1, failed_at: 1, failed_attempts: 1 } };
    await this.#parts.webhooks.updateOne({ _id: id, target }, isOver);
    this.#parts.knownWebhooks.forget(id);
  }

  async #failed(knownWebhook: KnownWebhook, at: Date): Promise<void> {
    const { id, target, isFailing } = knownWebhook;
    // Counted for the target that failed only: one that was changed meanwhile begins anew.
    const own = { _id: id, target };
    await this.#shorten(own, at);
    const webhook = await this.#parts.webhooks
      .findOneAndUpdate(
        own,
        { $min: { failing_since: at }, $max: { failed_at: at }, $inc: { failed_attempts: 1 } },
        { returnDocument: 'after' },
      )
      .lean<StoredWebhook>();
    // Whoever succeeds next must know that there is a failure to forget.
    if (!isFailing) this.#parts.knownWebhooks.forget(id);
    const { failing_since = at, failed_attempts = 0 } = webhook ?? {};
    const failingFor = at.getTime() - failing_since.getTime();
    if (failed_attempts < FAILED_ATTEMPTS || failingFor < FAILING_FOR_MS) return;
    const days = Math.floor(failingFor / DAY_MS);
    // Not one that has succeeded, or got another target, since.
    const failing = { ...own, failed_attempts: { $gte: failed_attempts } };
    const reason = `all ${failed_attempts} attempts of ${days} days failed`;
    if (await this.#unsubscribe(failing, reason)) await this.#parts.unsubscribed(id);
  }

  /**
   * Takes what is too much of a pause off the time; of attempts that fail together, one does it before any is counted. Where a
   * clock is set far back, the time begins anew: what lies between is a pause as well, once the clock is right again.
   */
  async #shorten(own: Pick<StoredWebhook, '_id' | 'target'>, at: Date): Promise<void> {
    const { webhooks } = this.#parts;
    const known = await webhooks.findOne(own, { failing_since: 1, failed_at: 1 }).lean<StoredWebhook>();
    const { failing_since, failed_at } = known ?? {};
    if (!failing_since || !failed_at) return;
    const isSetBack = failing_since.getTime() - at.getTime() > LONGEST_PAUSE_MS;
    const tooMuch = at.getTime() - failed_at.getTime() - LONGEST_PAUSE_MS;
    if (tooMuch <= 0 && !isSetBack) return;
    const since = isSetBack ? at : new Date(failing_since.getTime() + tooMuch);
    await webhooks.updateOne({ ...own, failed_at }, { $set: { failing_since: since, failed_at: at } });
  }

  /** Deletes a webhook as it was, with its target, and logs why. @returns whether it was so still */
  async #unsubscribe(asItWas: { _id: string; target: string }, reason: string): Promise<boolean> {
    const webhook = await this.#parts.audited.delete(asItWas, UNSUBSCRIBE).catch(ignoreMissing);
    if (!webhook) return false;
    const { _id, account, event } = webhook;
    this.#parts.log.warn({ webhook: _id, account, event, reason }, 'webhook unsubscribed');
    return true;
  }
}
