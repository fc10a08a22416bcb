import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setImmediate as nextImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { CommandServer } from './cli/command-server.ts';
import { createServices, type Services } from './compose.ts';
import { createIndexes } from './create-indexes.ts';
import { connectDatabase, whileAlive } from './database/connect.ts';
import type { DatabaseError } from './database/database-error.ts';
import { createIdentifyForChannel } from './features/access/authenticate.ts';
import { LIVE_CHANNEL_WRITES, mayCall } from './features/access/rights.ts';
import { SessionCookie } from './features/members/session-cookie.ts';
import { Metrics } from './features/metrics/metrics.ts';
import { startMetricsListener } from './features/metrics/metrics-listener.ts';
import { createGateway } from './features/realtime/create-gateway.ts';
import { createBaseUrl, listeningUrl } from './http/base-url.ts';
import { createClientAddress, createIsProxy } from './http/client-address.ts';
import { newServer } from './http/new-server.ts';
import { oneAtATime } from './http/pipelining.ts';
import { Stopping } from './http/stopping.ts';
import { type Config, ConfigError } from './platform/config.ts';
import { loadTheRest } from './platform/load-later.ts';
import { isLoopbackPort } from './platform/setting-values.ts';

/**
 * Graceful shutdown: keep-alive connections stay open until no request has arrived for this long. Each response before that
 * says `Connection: close`.
 */
const QUIET_MS = 100;

/** How long connections are taken at a stop that clients have made before it and nobody has looked at: a busy server has many. */
const MOST_TAKING_MS = 1_000;

/** How long requests under way may take after SIGTERM, and then what is left of them to be refused. */
const STOP_TIMEOUT_MS = 10_000;
const REFUSED_WITHIN_MS = 500;

/** How long all of it may take: before the process is ended whatever is left (main.ts), the database is closed. */
const STOPPED_WITHIN_MS = 20_000;

/** How long what nobody waits for any more may take. */
const ABANDONED_MS = 2_000;

/**
 * How many connections wait to be taken, when the system allows as many. Node.js takes one in each turn of its event
 * loop; of clients that come back after a restart, those beyond its own 511 would try again after 1, 3, 7 seconds.
 */
const BACKLOG = 4_096;

/** A running server. */
export interface RunningServer {
  services: Services;
  /** `http://127.0.0.1:<port>`; HOST in its place when that is another address than any. */
  url: string;
  /** Settles when the embedded database has ended unasked. */
  died: Promise<DatabaseError>;
  /** Stops taking, finishes what runs, flushes and closes the database. */
  stop(): Promise<void>;
}

/** @throws ConfigError when the port is taken or the address is not this machine's. */
const listen = (server: Server, { HOST, PORT }: Config): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why: Record<string, string> = {
        EADDRINUSE: `PORT ${PORT} is taken on ${HOST}: stop what listens there, or set PORT to another`,
        EACCES: `PORT ${PORT} may not be used by this user: set PORT to 1024 or more`,
        EADDRNOTAVAIL: `HOST ${HOST} is not an address of this machine`,
        ENOTFOUND: `HOST ${HOST} is not a name that can be resolved`,
      };
      reject(new ConfigError(why[error.code ?? ''] ?? `HOST ${HOST}, PORT ${PORT}: ${error.message}`));
    });
    server.listen(PORT, HOST, BACKLOG, () => resolve((server.address() as AddressInfo).port));
  });

/**
 * Opens the database, builds the services and listens. Requests are answered once `introduce` has ended: who gets an
 * answer, from `/readyz` too, finds that everything that the start has to say was said.
 * @throws ConfigError or DatabaseError with one clear line; nothing stays open then.
 */
export const startServer = async (
  config: Config,
  log: Logger,
  introduce: (server: Pick<RunningServer, 'services' | 'url'>) => Promise<void>,
): Promise<RunningServer> => {
  const database = await connectDatabase(config);
  const clientAddress = createClientAddress(config.TRUST_PROXY);
  const isProxy = createIsProxy(config.TRUST_PROXY);
  const limits = { timeout: config.RESPONSE_STALL_TIMEOUT, clientAddress, isProxy };
  const { server, closeSilent, stopCutting } = newServer(limits, log);
  let metricsServer: Server | undefined;
  try {
    await whileAlive(database, createIndexes(config, database.connection, log));
    const connection = await database.withDeadlines(config.DATABASE_TIMEOUT);
    const services = await createServices(config, connection, database.secretKey, log, database.embedded);
    const metrics = new Metrics(services);
    const stopping = new Stopping();
    const handle = oneAtATime(createApp(services, metrics, stopping).callback());
    let isOpen = false;
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    }).then(() => {
      isOpen = true;
    });
    server.on('request', (request, response) => {
      if (isOpen) handle(request, response);
      else void opened.then(() => handle(request, response));
    });
    metricsServer = await startMetricsListener(config, metrics, log);
    const port = await listen(server, config);
    await services.start();
    const baseUrl = createBaseUrl(config);
    const sessionCookie = new SessionCookie(baseUrl);
    const identifyByKeys = createIdentifyForChannel({ ...services, sessionCookie });
    const identify: typeof identifyByKeys = (frame, opened) => {
      // Whoever is told so comes again, maybe to another server; who is not identified signs in anew.
      if (services.keys.isGone) throw new Error('this server has to be restarted');
      return identifyByKeys(frame, opened);
    };
    const gateway = createGateway({
      ...services,
      baseUrl,
      identify,
      seesLeads: (principal) => mayCall(principal, 'listLeads'),
      mayWrite: (principal) => mayCall(principal, LIVE_CHANNEL_WRITES),
    });
    gateway.attach(server);
    const commands = database.embedded ? new CommandServer(config.DATA_DIR, services) : undefined;
    await commands?.start();
    if (config.WEBHOOK_ALLOW_PRIVATE) {
      log.warn('WEBHOOK_ALLOW_PRIVATE is true: webhooks may reach addresses inside this network');
    }
    if (database.embedded && isLoopbackPort(config.EMBEDDED_MONGODB_LISTEN)) {
      log.warn(
        `EMBEDDED_MONGODB_LISTEN is ${config.EMBEDDED_MONGODB_LISTEN}: every user of this machine may read and write ` +
          'the database there, without a password; a socket path is for its owner only',
      );
    }
    const url = listeningUrl(config.HOST, port);
    await introduce({ services, url });
    open();
    const stopped = new AbortController();
    void loadTheRest(log, stopped.signal).catch(() => undefined);
    return {
      services,
      died: database.died,
      url,
      stop: async () => {
        stopped.abort();
        const end = performance.now() + STOPPED_WITHIN_MS;
        metricsServer?.close();
        metricsServer?.closeAllConnections();
        await Promise.all([
          // What it writes last waits for the database, too.
          Promise.race([gateway.close(), sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]),
          closeServer(server, stopping, closeSilent),
          commands?.stop(STOP_TIMEOUT_MS),
        ]);
        // Whoever has gone may have left something that is still worked on, by the database that closes below.
        await stopping.settled(ABANDONED_MS);
        stopping.refuseRest();
        stopCutting();
        await services.stop(Math.max(0, end - performance.now()));
        await database.close();
      },
    };
  } catch (error) {
    stopCutting();
    server.close();
    metricsServer?.close();
    await database.close();
    throw error;
  }
};

/** Resolves when the system holds no connection any more that was made before: closing would reset it. */
const takeWaiting = async (server: Server): Promise<void> => {
  let taken = 0;
  const count = () => {
    taken++;
  };
  server.on('connection', count);
  const end = performance.now() + MOST_TAKING_MS;
  // The loop takes them right before its immediates, in each turn at least one where there is any.
  await nextImmediate();
  for (let before = -1; before < taken && performance.now() < end; await nextImmediate()) before = taken;
  server.off('connection', count);
};

const closeServer = async (server: Server, stopping: Stopping, closeSilent: () => void): Promise<void> => {
  await takeWaiting(server);
  stopping.begin();
  // That of HTTP would end idle connections at once, also where the next request has been sent and nobody has read it yet.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  let begun = stopping.begun;
  const endIfQuiet = () => {
    if (begun === stopping.begun) {
      server.closeIdleConnections();
      closeSilent();
    }
    begun = stopping.begun;
  };
  // The loop reads what has arrived between its timers and its immediates: after a long turn that may be much.
  const idle = setInterval(() => setImmediate(endIfQuiet), QUIET_MS);
  const refused = setTimeout(() => stopping.refuseRest(), STOP_TIMEOUT_MS);
  const cut = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS + REFUSED_WITHIN_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(refused);
  clearTimeout(cut);
};
