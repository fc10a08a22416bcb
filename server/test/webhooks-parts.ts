import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { EventName, NewWebhook } from '@parlor/shared';
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest';
import { newEvent, type OutboxEvent } from '../src/events/events.ts';
import { tombstoneModel } from '../src/events/tombstones.model.ts';
import { Tombstones } from '../src/events/tombstones.ts';
import { createWebhooks, webhookModels } from '../src/features/webhooks/create-webhooks.ts';
import type { StoredDelivery } from '../src/features/webhooks/deliveries.model.ts';
import { DELIVERY_LIMITS, type NotifiedListener } from '../src/features/webhooks/sender.ts';
import type { OriginLimits } from '../src/jobs/job-kind.ts';
import { LEASE_TIMING, type LeaseTiming, OriginLeases } from '../src/jobs/origin-leases.ts';
import type { PlaceLimits } from '../src/jobs/places.ts';
import type { OutgoingOptions } from '../src/net/outgoing.ts';
import { loadConfig } from '../src/platform/config.ts';
import { createLog } from '../src/platform/log.ts';
import { Secrets } from '../src/platform/secrets.ts';
import { giveBackDatabase, takeDatabase } from './databases.ts';

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks until the answer is something: not false, not undefined, not 0. @throws when that takes too long */
export const until = async <T>(
  ask: () => T | Promise<T>,
  what = 'it',
  patience = 60_000,
): Promise<NonNullable<T>> => {
  for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(10)) {
    const answer = await ask();
    if (answer) return answer;
  }
  throw new Error(`${what} did not happen in ${patience} ms`);
};

export interface Hit {
  at: number;
  headers: IncomingMessage['headers'];
  path: string;
  body: string;
  json: any;
}

type Answer = (hit: Hit, response: ServerResponse, number: number) => unknown;

export interface Receiver {
  url: string;
  origin: string;
  port: number;
  hits: Hit[];
  /** How many requests are being answered, and how many were at most. */
  open: number;
  mostOpen: number;
  connections: number;
  close(): Promise<void>;
}

const listen = async (server: Server, port = 0, host = '127.0.0.1'): Promise<number> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

/** A real HTTP (or HTTPS) receiver on loopback; `answer` may take its time, and answers 200 unless it ends. */
export const startReceiver = async (
  answer: Answer = () => undefined,
  { tls, port }: { tls?: { cert: string; key: string }; port?: number } = {},
): Promise<Receiver> => {
  const receiver = { hits: [], open: 0, mostOpen: 0, connections: 0 } as unknown as Receiver;
  const handle: RequestListener = async (request, response) => {
    receiver.open++;
    receiver.mostOpen = Math.max(receiver.mostOpen, receiver.open);
    response.once('close', () => receiver.open--);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks).toString('utf8');
    const hit = {
      at: Date.now(),
      headers: request.headers,
      path: request.url ?? '',
      body,
      json: JSON.parse(body),
    };
    receiver.hits.push(hit);
    await answer(hit, response, receiver.hits.length);
    if (!response.headersSent && !response.destroyed) response.end('ok');
  };
  const server = tls ? createTlsServer(tls, handle) : createServer(handle);
  server.on('connection', () => receiver.connections++);
  receiver.port = await listen(server, port);
  receiver.origin = `${tls ? 'https' : 'http'}://127.0.0.1:${receiver.port}`;
  receiver.url = `${receiver.origin}/hook`;
  receiver.close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return receiver;
};

/** A receiver that speaks bytes: `talk` gets each connection once a request has begun to come in. */
export const startRawReceiver = async (
  talk: (socket: Socket) => void,
): Promise<{ url: string; port: number }> => {
  const { createServer: createTcpServer } = await import('node:net');
  const server = createTcpServer((socket) => socket.once('data', () => talk(socket)).resume());
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}/hook`, port };
};

export interface Options {
  env?: Record<string, string>;
  outgoing?: Partial<OutgoingOptions>;
  limits?: Partial<OriginLimits>;
  places?: PlaceLimits;
  timing?: Partial<LeaseTiming>;
  isOnlyProcess?: boolean;
  /** Leaves the database as it is: another sender beside the first. */
  keep?: boolean;
  log?: ReturnType<typeof createLog>;
  markSent?: NotifiedListener;
}

/** By what they seal. */
export const SECRETS = new Secrets('a secret key for the tests only, 40 long');

export type Parts = ReturnType<typeof createWebhooks> & {
  account: string;
  models: ReturnType<typeof webhookModels>;
  subscribe(target: string, event?: EventName): Promise<string>;
  /** Lets events happen and waits until they are queued. */
  happen(data: object | readonly object[], event?: EventName): Promise<OutboxEvent[]>;
  rows(webhook?: string): Promise<StoredDelivery[]>;
  /** Waits until the log has a delivery in this state. */
  decided(webhook: string, state: StoredDelivery['state']): Promise<StoredDelivery>;
};

/** The parts of webhooks on a database of the file's own, without HTTP; with short times unless said otherwise. */
export const webhookParts = (mongodbUrl = () => inject('mongodbUrl')) => {
  const connection = mongoose.createConnection();
  let dbName = '';
  let models: ReturnType<typeof webhookModels>;

  beforeAll(async () => {
    dbName = await takeDatabase();
    await connection.openUri(mongodbUrl(), {
      ...{ dbName, autoIndex: false, autoCreate: false, monitorCommands: true },
    });
    models = webhookModels(connection);
    for (const model of Object.values(models)) await model.createIndexes();
  });
  afterAll(async () => {
    await connection.close();
    giveBackDatabase(dbName);
  });

  return async (options: Options = {}): Promise<Parts> => {
    if (!options.keep)
      for (const model of Object.values(models)) await (model as typeof models.webhooks).deleteMany({});
    const config = loadConfig({
      WEBHOOK_ALLOW_PRIVATE: 'true',
      WEBHOOK_RETRY_DELAYS: '50ms,100ms,200ms',
      WEBHOOK_TIMEOUT: '1s',
      ...options.env,
    });
    const log = options.log ?? createLog('silent');
    const relay = { announce: () => undefined };
    const tombstones = new Tombstones(tombstoneModel(connection), relay);
    const parts = createWebhooks({
      models,
      outbox: { relay, tombstones },
      config,
      secrets: SECRETS,
      leases: new OriginLeases({
        senders: models.webhookSenders,
        origins: models.webhookOrigins,
        isOnlyProcess: options.isOnlyProcess ?? true,
        timing: { ...LEASE_TIMING, beatEvery: 100, ...options.timing },
        log,
      }),
      unfinishedImports: { has: async () => false },
      log,
      limits: { ...DELIVERY_LIMITS, ...options.limits },
      ...(options.places && { places: options.places }),
      ...(options.outgoing && { outgoing: options.outgoing }),
      ...(options.markSent && { markSent: options.markSent }),
    });
    parts.sender.start();
    onTestFinished(() => parts.sender.stop());
    const account = randomUUID();
    const rows = (webhook?: string): Promise<StoredDelivery[]> =>
      models.deliveries
        .find(webhook ? { account, webhook } : { account })
        .sort({ created_at: -1, _id: -1 })
        .lean<StoredDelivery[]>()
        .exec();
    return {
      ...parts,
      account,
      models,
      rows,
      subscribe: async (target, event = 'message.added') => {
        const input: NewWebhook = { event, target };
        return (await parts.webhooks.create(account, input))._id;
      },
      happen: async (data, event = 'message.added') => {
        const all = Array.isArray(data) ? (data as object[]) : [data as object];
        const events = all.map((item) => newEvent(event, account, new Date(), item));
        await parts.consume(events);
        return events;
      },
      decided: (webhook, state) =>
        until(async () => (await rows(webhook)).find((row) => row.state === state), `a ${state} delivery`),
    };
  };
};

/** What the log says of the first attempt at a target. */
export const firstAttemptWith =
  (start: ReturnType<typeof webhookParts>) =>
  async (target: string, options: Options = {}, patience?: number) => {
    const { subscribe, happen, rows } = await start({
      ...options,
      env: { WEBHOOK_RETRY_DELAYS: '1h', ...options.env },
    });
    const uuid = await subscribe(target);
    await happen({ n: 1 });
    const row = await until(
      async () => (await rows(uuid)).find(({ tries }) => tries > 0),
      'an attempt',
      patience,
    );
    expect(row.tries).toBe(1);
    const attempt = row.attempts[0];
    if (!attempt) throw new Error('no attempt');
    return { attempt, row };
  };
