import type { Logger } from 'pino';
import type { Attempt } from './attempt.ts';
import type { RetryDecision } from './retries.ts';
import type { Subscription, Subscriptions } from './subscriptions.ts';
import type { StoredWebhook, WebhookModel } from './webhooks.model.ts';

/**
 * The time and the number of attempts, all failed, after which a subscription is unsubscribed
 * (docs/contract.md#retries).
 */
export const FAILING_FOR_MS = 5 * 86_400_000;
export const FAILED_ATTEMPTS = 20;

/** Keeps count of the failures of subscriptions, and unsubscribes those whose receivers are gone. */
export class Failures {
  readonly #webhooks: WebhookModel;
  readonly #subscriptions: Pick<Subscriptions, 'forget'>;
  readonly #unsubscribed: (webhook: string) => Promise<void>;
  readonly #log: Logger;

  /** @param unsubscribed told when a subscription was deleted */
  constructor(
    webhooks: WebhookModel,
    subscriptions: Pick<Subscriptions, 'forget'>,
    unsubscribed: (webhook: string) => Promise<void>,
    log: Logger,
  ) {
    this.#webhooks = webhooks;
    this.#subscriptions = subscriptions;
    this.#unsubscribed = unsubscribed;
    this.#log = log;
  }

  /** What an attempt says of its subscription. */
  async learn(
    subscription: Subscription,
    attempt: Pick<Attempt, 'at'>,
    { kind }: RetryDecision,
  ): Promise<void> {
    const { id, target } = subscription;
    if (kind === 'delivered') await this.#succeeded(subscription);
    else if (kind === 'gone') await this.#unsubscribe(id, target, 'answered 410');
    else await this.#failed(subscription, attempt);
  }

  /** An attempt succeeded: earlier failures count no more. */
  async #succeeded({ id, isFailing }: Subscription): Promise<void> {
    if (!isFailing) return;
    await this.#webhooks.updateOne({ _id: id }, { $unset: { failing_since: 1, failed_attempts: 1 } });
    this.#subscriptions.forget(id);
  }

  /** An attempt at the target failed. */
  async #failed({ id, target, isFailing }: Subscription, { at }: Pick<Attempt, 'at'>): Promise<void> {
    // Counted for the target that failed only: one that was changed meanwhile begins anew.
    if (!isFailing) {
      const first = { $set: { failing_since: at, failed_attempts: 1 } };
      const { modifiedCount } = await this.#webhooks.updateOne(
        { _id: id, target, failing_since: { $exists: false } },
        first,
      );
      // Whoever succeeds next must know that there is a failure to forget.
      this.#subscriptions.forget(id);
      if (modifiedCount === 1) return;
    }
    const webhook = await this.#webhooks
      .findOneAndUpdate(
        { _id: id, target, failing_since: { $exists: true } },
        { $inc: { failed_attempts: 1 } },
        { returnDocument: 'after' },
      )
      .lean<StoredWebhook>();
    const { failing_since, failed_attempts = 0 } = webhook ?? {};
    if (!failing_since || failed_attempts < FAILED_ATTEMPTS) return;
    if (at.getTime() - failing_since.getTime() < FAILING_FOR_MS) return;
    const days = Math.floor((at.getTime() - failing_since.getTime()) / 86_400_000);
    await this.#unsubscribe(id, target, `all ${failed_attempts} attempts of ${days} days failed`);
  }

  /** Deletes a subscription, unless its target has been changed meanwhile, and logs why. */
  async #unsubscribe(id: string, target: string, reason: string): Promise<void> {
    const webhook = await this.#webhooks.findOneAndDelete({ _id: id, target }).lean<StoredWebhook>();
    if (!webhook) return;
    this.#log.warn(
      { webhook: id, account: webhook.account, event: webhook.event, reason },
      'webhook unsubscribed',
    );
    await this.#unsubscribed(id);
  }
}
