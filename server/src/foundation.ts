import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { mapCollections } from './data-map.ts';
import { Budgets } from './database/budgets.ts';
import type { Database } from './database/connect.ts';
import { DiskReserve } from './database/disk-reserve.ts';
import { checkKey } from './database/key-record.ts';
import { keptKey } from './database/secret-key-file.ts';
import { Relay } from './events/relay.ts';
import { Tombstones } from './events/tombstones.ts';
import { WaitingEvents } from './events/waiting-events.ts';
import { askedFromBy } from './http/asked-from.ts';
import { RateLimits } from './http/rate-limits.ts';
import type { StoredSender } from './jobs/origin-leases.model.ts';
import { OwnKeys } from './jobs/own-keys.ts';
import { createModels, outboxOf } from './models.ts';
import { type Config, isOnlyProcess } from './platform/config.ts';
import { Secrets } from './platform/secrets.ts';

/**
 * Builds what every feature stands on: collections, secrets, limits, and the outbox.
 * @throws DatabaseError where the database needs another key
 */
export const createFoundation = async (
  config: Config,
  connection: Connection,
  secretKey: string,
  log: Logger,
  embedded: Database['embedded'],
) => {
  const secrets = new Secrets(secretKey, config.SECRET_KEY_PREVIOUS);
  const models = createModels(connection);
  const collections = mapCollections(models);
  await checkKey({ models, collections }, secrets, await keptKey(config));
  const keys = new OwnKeys(models.secretKeys, secrets, log);
  // Before anything is sealed. One that is dead is missed by the heartbeat.
  if (!isOnlyProcess(config)) keys.learn(await models.webhookSenders.find({}).lean<StoredSender[]>());
  const reserveBytes = config.DISK_RESERVE_MIB * 1_024 * 1_024;
  const outbox = outboxOf(models);
  const relay = new Relay(Object.values(outbox), log);
  const tombstones = new Tombstones(models.tombstones, relay);
  return {
    config,
    connection,
    log,
    /** SECRET_KEY, or the one that was made in its place. */
    secretKey,
    secrets,
    keys,
    models,
    collections,
    rateLimits: new RateLimits(config, connection, log),
    budgets: new Budgets(models.usage),
    askedFrom: askedFromBy(secrets),
    outbox,
    relay,
    tombstones,
    waitingEvents: new WaitingEvents(Object.values(outbox), { relay, tombstones }),
    /** Copies the embedded database into an empty directory; undefined on a MongoDB. */
    copyEmbedded: embedded?.copyTo,
    /** The last of the embedded database's disk; undefined on a MongoDB, and without a reserve. */
    diskReserve:
      embedded && reserveBytes > 0 ? new DiskReserve(embedded.freeBytes, reserveBytes, log) : undefined,
  };
};
