import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { addressKeys } from './client-address.ts';

/** Who has just come, or has just sent a request, goes for nobody who holds as many connections. */
const QUICK_MS = 1_000;

/**
 * The limit of an address's connections with a request in progress: so many, or this share of all where that is more. Beyond it
 * the newest is closed for an address with fewer connections, since slow responses cost a client nothing.
 */
const BUSY_CONNECTIONS = 64;
const BUSY_SHARE = 1 / 16;

/** The log says once in that time that there is no room. */
const SAID_EVERY_MS = 60_000;

/**
 * All connections of one address. One of a proxy is by itself, since it may be of anybody, but while it has a request under way:
 * then it is of whom that came from.
 */
interface Peer {
  /** What limits count its address by; undefined for a proxy without a request. */
  key: string | undefined;
  connections: number;
  /** On which no request is under way, and one is, or several are; what has been so for the longest stands first. */
  idle: Set<Connection>;
  busy: Set<Connection>;
}

interface Connection {
  socket: Socket;
  peer: Peer;
  isOfProxy: boolean;
  /** Since when it is idle or busy (`performance.now()`). */
  since: number;
  underWay: number;
  /** The latest one: those before it have come whole. */
  request?: IncomingMessage;
}

/** What shares connections between addresses. */
export interface ConnectionShares {
  /** How many connections there are at most. */
  maxConnections: number;
  /** Whether a connection comes from a trusted proxy. */
  isProxy(socket: Socket): boolean;
  /** Where a request came from. */
  clientAddress(request: IncomingMessage): string;
}

/** Whether nothing goes on before its client sends or reads. */
const waitsForClient = ({ socket, request }: Connection): boolean =>
  request?.complete === false || socket.writableLength > 0;

/** @param busyOfOne the limit of an address's connections with a request in progress */
const firstToGo = (
  { idle, busy }: Peer,
  isHeavier: boolean,
  now: number,
  busyOfOne: number,
): Connection | undefined => {
  for (const one of idle) {
    if (isHeavier || now - one.since >= QUICK_MS) return one;
    break;
  }
  for (const one of busy) {
    if (now - one.since < QUICK_MS) break;
    if (waitsForClient(one)) return one;
  }
  // Those that came first are the next to be answered.
  return isHeavier && busy.size > busyOfOne ? [...busy].at(-1) : undefined;
};

/** Whose connection is closed for a newcomer; undefined where that one finds no room. */
const goesFor = (
  { peer: own }: Connection,
  peers: Iterable<Peer>,
  now: number,
  busyOfOne: number,
): Connection | undefined => {
  let first: Connection | undefined;
  for (const peer of peers) {
    const most = first?.peer.connections ?? own.connections;
    if (peer.connections < most) continue;
    const one = firstToGo(peer, peer.connections > own.connections, now, busyOfOne);
    if (one && (!first || peer.connections > most || one.since < first.since)) first = one;
  }
  return first;
};

/** The addresses that connections come from. */
class Peers {
  readonly #all = new Set<Peer>();
  readonly #byKey = new Map<string, Peer>();

  [Symbol.iterator](): Iterator<Peer> {
    return this.#all.values();
  }

  /** @param address undefined: nobody's that is known */
  join(address: string | undefined): Peer {
    const peer = this.#of(address);
    peer.connections++;
    return peer;
  }

  leave(one: Connection): void {
    const { peer } = one;
    peer.idle.delete(one);
    peer.busy.delete(one);
    if (--peer.connections > 0) return;
    this.#all.delete(peer);
    if (peer.key !== undefined) this.#byKey.delete(peer.key);
  }

  #of(text: string | undefined): Peer {
    // A /48 has 65 536 networks, each of which would be one with few connections.
    const { address, network = address } = text === undefined ? {} : addressKeys(text);
    const known = network === undefined ? undefined : this.#byKey.get(network);
    if (known) return known;
    const peer: Peer = { key: network, connections: 0, idle: new Set(), busy: new Set() };
    this.#all.add(peer);
    if (network !== undefined) this.#byKey.set(network, peer);
    return peer;
  }
}

const becomes = (one: Connection, state: 'idle' | 'busy' | 'upgraded'): void => {
  const { idle, busy } = one.peer;
  idle.delete(one);
  busy.delete(one);
  one.since = performance.now();
  if (state !== 'upgraded') one.peer[state].add(one);
};

/**
 * Makes room for newcomers once there are as many connections as may be: of the address that has the most of them one is closed
 * on which no request is under way, the longest idle one first, else one whose request or response has waited for its client
 * for a second, and what it has beyond the share that is worked on. Nobody loses one to an address that has more. Other requests
 * that are worked on, event streams and WebSockets go on.
 */
export const shareConnections = (
  server: Server,
  { maxConnections, isProxy, clientAddress }: ConnectionShares,
  log: Logger,
): void => {
  // Room is made for the one that was taken last, before Node.js would drop it without a word.
  server.maxConnections = maxConnections + 1;
  const connections = new Map<Socket, Connection>();
  const peers = new Peers();
  const busyOfOne = Math.max(BUSY_CONNECTIONS, Math.floor(maxConnections * BUSY_SHARE));
  const taken = (socket: Socket): Connection => {
    const isOfProxy = isProxy(socket);
    const peer = peers.join(isOfProxy ? undefined : (socket.remoteAddress ?? ''));
    return { socket, peer, isOfProxy, since: 0, underWay: 0 };
  };
  const forget = (one: Connection): void => {
    if (connections.delete(one.socket)) peers.leave(one);
  };
  /** Whose it is while a request is under way; nobody's that is known without one. */
  const becomesOf = (one: Connection, request?: IncomingMessage): void => {
    if (!one.isOfProxy) return;
    peers.leave(one);
    one.peer = peers.join(request && clientAddress(request));
  };

  let closed = 0;
  let saidAt = Number.NEGATIVE_INFINITY;
  const makeRoomFor = (newcomer: Connection): void => {
    const now = performance.now();
    const one = goesFor(newcomer, peers, now, busyOfOne) ?? newcomer;
    forget(one);
    // What waits for a client that does not read is not to be kept for it by the system.
    if (one.underWay > 0) one.socket.resetAndDestroy();
    else one.socket.destroy();
    closed++;
    if (now - saidAt < SAID_EVERY_MS) return;
    log.warn({ connections: maxConnections, closed }, 'closed connections: as many are open as may be');
    saidAt = now;
    closed = 0;
  };

  server.on('connection', (socket: Socket) => {
    const known = connections.get(socket);
    const one = known ?? taken(socket);
    becomes(one, 'idle');
    // One whose upgrade was declined comes again.
    if (known) return;
    connections.set(socket, one);
    socket.once('close', () => forget(one));
    if (connections.size > maxConnections) makeRoomFor(one);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const one = connections.get(request.socket);
    if (!one) return;
    one.request = request;
    if (one.underWay++ === 0) {
      becomesOf(one, request);
      becomes(one, 'busy');
    }
    response.once('close', () => {
      if (--one.underWay > 0 || !connections.has(one.socket)) return;
      becomesOf(one);
      becomes(one, 'idle');
    });
  });
  server.on('upgrade', ({ socket }: IncomingMessage) => {
    const one = connections.get(socket);
    if (!one) return;
    becomesOf(one);
    becomes(one, 'upgraded');
  });
};
