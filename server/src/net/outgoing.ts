import { promises as dns, type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type LookupFunction, Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
import { loadLater, loadLaterBy } from '../platform/load-later.ts';
import { ipLiteral, isPublicAddress } from './addresses.ts';
import { isBlockedPort } from './blocked-ports.ts';
import { boundResponses } from './response-bound.ts';

const INNER_NAME = 'ERR_INNER_NAME';

/** The target is, or resolves to, an address inside a private network. */
export class PrivateAddressError extends Error {
  override name = 'PrivateAddressError';
  /** That of a name, which may be one that only this network knows, by a code as names have that nobody knows. */
  readonly code?: typeof INNER_NAME;

  constructor(host: string, address: string) {
    const isName = host !== address;
    super(
      isName ? `${host} resolves to ${address}, which is not public` : `${address} is not a public address`,
    );
    if (isName) this.code = INNER_NAME;
  }
}

/** What stood in the way of a connection. */
const beforeConnections = new WeakSet<Error>();

/** Whether a request failed before there was a connection, its TLS included: nobody has got it. */
export const neverConnected = (error: Error): boolean => beforeConnections.has(error);

export interface OutgoingOptions {
  /** True: any address may be connected to (WEBHOOK_ALLOW_PRIVATE). */
  allowPrivate: boolean;
  /** True: any port may be connected to, since the operator has chosen it. */
  allowAnyPort?: boolean;
  /** The most that one response may take on the wire: headers, framing and informational responses included. */
  maxResponseBytes: number;
  /** Milliseconds until a connection must stand, TLS included. */
  connectTimeout: number;
  /** Certificates that are trusted instead of the public ones. */
  ca?: ConnectionOptions['ca'];
  /** DNS servers, `address:port`, instead of the system's. */
  dnsServers?: readonly string[];
}

/** What `request` is told: origin, path and the rest, as undici calls it. */
export type OutgoingRequest = Omit<Dispatcher.RequestOptions, 'signal'> & { signal?: AbortSignal };

/** The way out: of undici's dispatcher what Parlor uses. */
export interface Outgoing extends Pick<Dispatcher, 'dispatch'> {
  /** As undici's `Dispatcher.request`; a signal ends it at any time, also while there is no connection yet. */
  request(options: OutgoingRequest): Promise<Dispatcher.ResponseData>;
  destroy(): Promise<void>;
}

const undici = loadLater<typeof import('undici')>('undici');

/** It loads its parser of responses with the first connection, which here leads nowhere. */
loadLaterBy(async () => {
  const { Client } = undici();
  const client = new Client('http://localhost', {
    connect: (_target, callback) => callback(null, new Socket()),
  });
  const isConnected = once(client, 'connect');
  client.request({ path: '/', method: 'GET' }).catch(() => undefined);
  await isConnected;
  await client.destroy();
});

/** How long the system is not asked again for a name that it could not tell. */
const FAILED_FOR_MS = 1_000;

/** How long a kept-alive connection waits for its next request, unless the receiver asks for less. */
const KEEP_ALIVE_MS = 10_000;

/**
 * The one way out for requests to addresses that others have chosen: a pool of connections for each origin, and
 * the check of each address on which a connection is opened (docs/contract.md#outgoing-requests). Proxies of
 * the environment and redirects are not followed.
 */
export const createOutgoing = (options: OutgoingOptions): Outgoing => {
  let agent: Dispatcher | undefined;
  let isDestroyed = false;
  const opened = (): Dispatcher => {
    if (agent) return agent;
    agent = createAgent(options);
    if (isDestroyed) void agent.destroy();
    return agent;
  };
  return {
    dispatch: (request, handler) => opened().dispatch(request, handler),
    request: (request) => opened().compose(hearSignals).request(request),
    destroy: async () => {
      isDestroyed = true;
      await agent?.destroy();
    },
  };
};

/** Undici hears the signal of a request only once that has its connection: until then it is heard here. */
const hearSignals: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (request, handler) => {
  const { signal } = request as OutgoingRequest;
  if (!signal) return dispatch(request, handler);
  let isGivenUp = false;
  const giveUp = (): void => {
    isGivenUp = true;
    // Others may have the same reason, some of them with a connection.
    const error = new Error(String(signal.reason?.message ?? signal.reason), { cause: signal.reason });
    beforeConnections.add(error);
    handler.onResponseError?.(null as never, error);
  };
  if (signal.aborted) {
    giveUp();
    return true;
  }
  const stopHearing = (): void => signal.removeEventListener('abort', giveUp);
  signal.addEventListener('abort', giveUp, { once: true });
  return dispatch(request, {
    onRequestStart: (controller, context) => {
      stopHearing();
      // The connection came too late: nothing is sent over it.
      if (isGivenUp) controller.abort(signal.reason);
      else handler.onRequestStart?.(controller, context);
    },
    onResponseStart: (...told) => handler.onResponseStart?.(...told),
    onResponseData: (...told) => handler.onResponseData?.(...told),
    onResponseEnd: (...told) => handler.onResponseEnd?.(...told),
    onResponseError: (...told) => {
      stopHearing();
      if (!isGivenUp) handler.onResponseError?.(...told);
    },
  });
};

const createAgent = (options: OutgoingOptions): Dispatcher => {
  const { Agent, buildConnector } = undici();
  const { allowAnyPort = false, allowPrivate, connectTimeout, maxResponseBytes, ca, dnsServers } = options;
  const lookup = allowPrivate && !dnsServers ? sharedLookup() : checkedLookup(allowPrivate, dnsServers);
  const connect = buildConnector({
    timeout: connectTimeout,
    lookup,
    ...(ca !== undefined && { ca }),
  } as buildConnector.BuildOptions);

  return new Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // The caller keeps the time, from the beginning of an attempt to its end.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) => {
      const refuse = (error: Error): void => {
        beforeConnections.add(error);
        callback(error, null);
      };
      if (!allowAnyPort && isBlockedPort(target.port)) {
        refuse(new Error(`port ${target.port} is not allowed`));
        return;
      }
      // `lookup` is not asked for IP literals.
      const literal = ipLiteral(target.hostname);
      if (!allowPrivate && literal !== undefined && !isPublicAddress(literal)) {
        refuse(new PrivateAddressError(literal, literal));
        return;
      }
      connect(target, (...[error, socket]) => {
        if (error) return refuse(error);
        const { remoteAddress = '' } = socket;
        if (allowPrivate || isPublicAddress(remoteAddress)) {
          boundResponses(socket, maxResponseBytes);
          return callback(null, socket);
        }
        socket.destroy();
        refuse(new PrivateAddressError(target.hostname, remoteAddress));
      });
    },
  });
};

/**
 * Resolves a name when a connection is opened, and refuses it when any of its addresses is not public. It asks
 * the DNS itself: the system's resolver would occupy one of the process's few threads for as long as a dead name
 * server takes, and with them all other targets.
 */
const checkedLookup = (allowPrivate: boolean, servers: readonly string[] | undefined): LookupFunction => {
  const resolve = async (hostname: string): Promise<LookupAddress[]> => {
    // A new one each time: it reads only when it is made which name servers the system has.
    const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 });
    if (servers) resolver.setServers(servers);
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [
      ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 as const })),
      ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 as const })),
    ];
    if (found.length === 0) throw v4.status === 'rejected' ? v4.reason : new Error('no address');
    const inside = found.find(({ address }) => !isPublicAddress(address));
    if (inside && !allowPrivate) throw new PrivateAddressError(hostname, inside.address);
    return found;
  };

  return lookupBy(resolve);
};

/**
 * Asks the system, as for names that only its own files know; once for all who ask meanwhile, and who ask soon after it failed.
 * Each question holds one of the process's few threads for as long as a dead name server takes.
 */
const sharedLookup = (): LookupFunction => {
  const known = new Map<string, Promise<LookupAddress[]>>();
  return lookupBy((hostname) => {
    const asked = known.get(hostname);
    if (asked) return asked;
    const answer = dns.lookup(hostname, { all: true });
    known.set(hostname, answer);
    const forget = () => known.delete(hostname);
    answer.then(forget, () => setTimeout(forget, FAILED_FOR_MS).unref());
    return answer;
  });
};

const lookupBy =
  (resolve: (hostname: string) => Promise<LookupAddress[]>): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        if (options.all) return callback(null, found);
        const wanted = found.find(({ family }) => !options.family || options.family === family) ?? found[0];
        callback(null, wanted?.address ?? '', wanted?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
