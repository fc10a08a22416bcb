import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { DiskReserve } from '../../database/disk-reserve.ts';
import type { Outbox } from '../../events/audited-collection.ts';
import type { OriginLimits } from '../../jobs/job-kind.ts';
import { originModel, senderModel } from '../../jobs/origin-leases.model.ts';
import type { OriginLeases } from '../../jobs/origin-leases.ts';
import type { PlaceLimits } from '../../jobs/places.ts';
import { createOutgoing, type OutgoingOptions } from '../../net/outgoing.ts';
import type { Config } from '../../platform/config.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { UnfinishedImports } from '../accounts/unfinished-imports.ts';
import { MAX_WIRE_BYTES } from './attempt.ts';
import { deliveryModel } from './deliveries.model.ts';
import { DeliveriesService } from './deliveries.service.ts';
import { createDeliveries } from './deliveries.ts';
import { KnownWebhooks } from './known-webhooks.ts';
import { DELIVERY_LIMITS, DELIVERY_PLACES, type NotifiedListener, Sender } from './sender.ts';
import { webhookModel } from './webhooks.model.ts';
import { auditedWebhooks, WebhooksService } from './webhooks.service.ts';

/** The collections of webhooks; their indexes are the caller's to make. */
export const webhookModels = (connection: Connection) => ({
  webhooks: webhookModel(connection),
  deliveries: deliveryModel(connection),
  webhookSenders: senderModel(connection),
  webhookOrigins: originModel(connection),
});

/** Puts the parts of webhooks together. Nothing is sent before `sender.start()`. */
export const createWebhooks = ({
  models,
  config,
  outbox,
  secrets,
  leases,
  unfinishedImports,
  markSent,
  log,
  diskReserve,
  limits = DELIVERY_LIMITS,
  places = DELIVERY_PLACES,
  outgoing: options,
}: {
  models: Omit<ReturnType<typeof webhookModels>, 'webhookSenders' | 'webhookOrigins'>;
  config: Pick<Config, 'WEBHOOK_ALLOW_PRIVATE' | 'WEBHOOK_RETRY_DELAYS' | 'WEBHOOK_TIMEOUT'>;
  outbox: Outbox;
  secrets: Secrets;
  leases: OriginLeases;
  unfinishedImports: Pick<UnfinishedImports, 'has'>;
  /** Told when a keyword notification has reached a subscriber (docs/contract.md#webhook: its `sent_at`). */
  markSent?: NotifiedListener;
  log: Logger;
  diskReserve?: Pick<DiskReserve, 'isReachedNow'> | undefined;
  /** Others than the contract's, for tests. */
  limits?: OriginLimits;
  places?: PlaceLimits;
  outgoing?: Partial<OutgoingOptions>;
}) => {
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE;
  const timeout = config.WEBHOOK_TIMEOUT;
  const outgoing = createOutgoing({
    allowPrivate,
    connectTimeout: timeout,
    maxResponseBytes: MAX_WIRE_BYTES,
    ...options,
  });
  const knownWebhooks = new KnownWebhooks(models.webhooks, secrets);
  const sender = new Sender(
    {
      ...models,
      audited: auditedWebhooks(models.webhooks, outbox),
      knownWebhooks,
      leases,
      unfinishedImports,
      outgoing,
      onNotified: markSent ?? (async () => undefined),
      log,
    },
    { delays: config.WEBHOOK_RETRY_DELAYS, timeout, limits, places },
  );
  const webhooks = new WebhooksService(models.webhooks, outbox, secrets, sender, { allowPrivate });
  const deliveries = new DeliveriesService({
    deliveries: models.deliveries,
    webhooks,
    knownWebhooks,
    sender,
  });
  const { consume } = createDeliveries({
    webhooks: models.webhooks,
    deliveries: models.deliveries,
    sender,
    diskReserve,
  });
  return { webhooks, deliveries, consume, sender };
};
