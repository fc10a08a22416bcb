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
  /** Told when a webhook was deleted. */
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

  /** What an attempt says of its webhook. */
  async learn(
    knownWebhook: KnownWebhook,
    { at }: Pick<Attempt, 'at'>,
    decision: RetryDecision['kind'],
  ): Promise<void> {
    const { id, isFailing } = knownWebhook;
    if (decision === 'gone') return this.#unsubscribe(knownWebhook, 'answered 410');
    if (decision !== 'delivered') return this.#failed(knownWebhook, at);
    if (!isFailing) return;
    const isOver = { $unset: { failing_since: 1, failed_at: 1, failed_attempts: 1 } };
    await this.#parts.webhooks.updateOne({ _id: id }, isOver);
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
    await this.#unsubscribe(knownWebhook, `all ${failed_attempts} attempts of ${days} days failed`);
  }

  /** Takes what is too much of a pause off the time; of attempts that fail together, one does it before any is counted. */
  async #shorten(own: Pick<StoredWebhook, '_id' | 'target'>, at: Date): Promise<void> {
    const { webhooks } = this.#parts;
    const known = await webhooks.findOne(own, { failing_since: 1, failed_at: 1 }).lean<StoredWebhook>();
    const { failing_since, failed_at } = known ?? {};
    if (!failing_since || !failed_at) return;
    const tooMuch = at.getTime() - failed_at.getTime() - LONGEST_PAUSE_MS;
    if (tooMuch <= 0) return;
    const since = new Date(failing_since.getTime() + tooMuch);
    await webhooks.updateOne({ ...own, failed_at }, { $set: { failing_since: since, failed_at: at } });
  }

  /** Deletes a webhook, unless its target has been changed meanwhile, and logs why. */
  async #unsubscribe({ id, target }: KnownWebhook, reason: string): Promise<void> {
    const webhook = await this.#parts.audited.delete({ _id: id, target }, UNSUBSCRIBE).catch(ignoreMissing);
    if (!webhook) return;
    const { account, event } = webhook;
    this.#parts.log.warn({ webhook: id, account, event, reason }, 'webhook unsubscribed');
    await this.#parts.unsubscribed(id);
  }
}
