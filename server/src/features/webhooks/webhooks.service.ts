import { type EventName, type NewWebhook, Webhook } from '@parlor/shared';
import { present } from '../../database/document.ts';
import { duplicateFields } from '../../database/duplicate.ts';
import { type Page, readPages } from '../../database/pages.ts';
import type { Action } from '../../events/audit.ts';
import { AuditedCollection, type Outbox } from '../../events/audited-collection.ts';
import { differences } from '../../events/change.ts';
import { invalid, invalidTogether, notFound } from '../../platform/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import { placeOf, type Secrets } from '../../platform/secrets.ts';
import { withPresentReplaced } from './previous-secrets.ts';
import { newSigningSecret } from './signing.ts';
import { originOf, targetError } from './target.ts';
import { type StoredWebhook, targetKey, type WebhookModel } from './webhooks.model.ts';

/** What must learn of a change at once, so that no further attempt goes by what was. */
export interface WebhookListener {
  changed(webhook: StoredWebhook): Promise<void>;
  deleted(webhook: string): Promise<void>;
}

/** A check of the object as it stands, such as If-Match's. */
type Precondition = ((current: Webhook) => void) | undefined;

/** The same, with the events that the webhook has heard before. */
type ChangePrecondition = ((current: Webhook, heardBefore: readonly EventName[]) => void) | undefined;

/** Webhook webhooks and their secrets (docs/contract.md#webhook). */
export class WebhooksService {
  readonly #webhooks: WebhookModel;
  readonly #audited: AuditedCollection<StoredWebhook>;
  readonly #secrets: Secrets;
  readonly #allowPrivate: boolean;
  readonly #listener: WebhookListener;

  constructor(
    webhooks: WebhookModel,
    outbox: Outbox,
    secrets: Secrets,
    listener: WebhookListener,
    { allowPrivate }: { allowPrivate: boolean },
  ) {
    this.#webhooks = webhooks;
    this.#audited = auditedWebhooks(webhooks, outbox);
    this.#secrets = secrets;
    this.#listener = listener;
    this.#allowPrivate = allowPrivate;
  }

  /** @throws ParlorError `invalid` for a target inside a private network, or a pair that is subscribed already. */
  async create(
    account: string,
    { event, target }: NewWebhook,
    uuid = newUuid(),
    action?: Action,
  ): Promise<StoredWebhook> {
    this.#checkTarget(target);
    const now = new Date();
    const webhook: StoredWebhook = {
      _id: uuid,
      event,
      target,
      target_key: targetKey(target),
      account,
      created_at: now,
      since: now,
      version: 1,
      secret_sealed: this.#secrets.encrypt(
        newSigningSecret(),
        placeOf({ _id: uuid, account }, 'secret_sealed'),
      ),
    };
    const { stored } = await this.#audited.insert(webhook, action).catch(notTwice);
    return stored;
  }

  list(account: string, page: Page): AsyncGenerator<StoredWebhook[]> {
    return readPages(this.#webhooks, { account }, 'created_at', page);
  }

  /** @throws ParlorError `not_found`, also for another account's webhook. */
  async get(account: string, uuid: string): Promise<StoredWebhook> {
    const webhook = await this.#webhooks.findOne({ _id: uuid, account }).lean<StoredWebhook>();
    if (!webhook) throw notFound();
    return webhook;
  }

  /** @throws ParlorError as `get` and `create` do, and what `precondition` throws. */
  async change(
    account: string,
    uuid: string,
    wanted: Partial<NewWebhook>,
    precondition: ChangePrecondition,
    action?: Action,
  ): Promise<StoredWebhook> {
    if (wanted.target !== undefined) this.#checkTarget(wanted.target);
    let hasChanged = false;
    const decide = (current: StoredWebhook) => {
      const { event, heard_before = [] } = current;
      precondition?.(presentWebhook(current), heard_before);
      const set: Partial<StoredWebhook> | undefined = differences<StoredWebhook>(current, wanted);
      hasChanged = set !== undefined;
      if (!set) return undefined;
      return {
        set: {
          ...set,
          ...(set.event !== undefined && {
            since: new Date(),
            heard_before: [...new Set([...heard_before, event])],
          }),
          ...(set.target !== undefined && { target_key: targetKey(set.target) }),
        },
        // Failures say something of the target that they happened at, and nothing of another.
        ...(set.target !== undefined && {
          unset: ['failing_since', 'failed_at', 'failed_attempts'] as const,
        }),
      };
    };
    const webhook = await this.#audited.change({ _id: uuid, account }, decide, action).catch(notTwice);
    if (!hasChanged) return webhook;
    await this.#listener.changed(webhook);
    return webhook;
  }

  /** Deletes a webhook; what waits for it is dropped. */
  async delete(account: string, uuid: string, precondition: Precondition, action?: Action): Promise<void> {
    await this.#audited.delete({ _id: uuid, account }, action, (current) =>
      precondition?.(presentWebhook(current)),
    );
    await this.#listener.deleted(uuid);
  }

  /** The secret by which a receiver checks signatures. */
  async secret(account: string, uuid: string): Promise<string> {
    const webhook = await this.get(account, uuid);
    return this.#secrets.decrypt(webhook.secret_sealed, placeOf(webhook, 'secret_sealed'));
  }

  /**
   * Replaces the secret; the old one signs too for 24 hours.
   * @throws ParlorError `not_found`, and `throttled` when too many old ones still sign
   */
  async rotateSecret(account: string, uuid: string, action?: Action): Promise<StoredWebhook> {
    const place = placeOf({ _id: uuid, account }, 'secret_sealed');
    const sealed = this.#secrets.encrypt(newSigningSecret(), place);
    const decide = (current: StoredWebhook) => ({
      set: { secret_sealed: sealed, ...withPresentReplaced(current, this.#secrets, new Date()) },
    });
    const webhook = await this.#audited.change({ _id: uuid, account }, decide, action);
    await this.#listener.changed(webhook);
    return webhook;
  }

  #checkTarget(target: string): void {
    const error = targetError(target, this.#allowPrivate);
    if (error) throw invalid({ target: [error] });
  }
}

/** A target may hold a secret in its path or query: it is named and not shown. */
export const auditedWebhooks = (webhooks: WebhookModel, outbox: Outbox): AuditedCollection<StoredWebhook> =>
  new AuditedCollection(webhooks, outbox, {
    kind: 'webhook',
    label: ({ event, target }) => `${event} ${originOf(target)}`,
    fields: { event: 'event', target: 'target', secret_sealed: 'secret' },
    shown: ['event'],
  });

/** The same event and target twice in an account (docs/contract.md#webhook). */
const notTwice = (error: unknown): never => {
  if (!duplicateFields(error)?.includes('target_key')) throw error;
  throw invalidTogether('The fields event, target must make a unique set.');
};

/** The API's form of a webhook: exactly uuid, event, target. */
export const presentWebhook = (webhook: StoredWebhook): Webhook => present(Webhook, webhook);
