import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { addressKeys } from './client-address.ts';

/** Who has just come, or has just sent a request, goes for nobody who holds as many connections. */
const QUICK_MS = 1_000;

/** The log says once in that time that there is no room. */
const SAID_EVERY_MS = 60_000;

/** All connections of one address; each of a proxy is by itself, since it may be of anybody. */
interface Peer {
  /** What limits count its address by; undefined for a proxy. */
  key: string | undefined;
  connections: number;
  /** On which no request is under way, and one is, or several are; what has been so for the longest stands first. */
  idle: Set<Connection>;
  busy: Set<Connection>;
}

interface Connection {
  socket: Socket;
  peer: Peer;
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
}

/** Whether nothing goes on before its client sends or reads. */
const waitsForClient = ({ socket, request }: Connection): boolean =>
  request?.complete === false || socket.writableLength > 0;

const firstToGo = ({ idle, busy }: Peer, isHeavier: boolean, now: number): Connection | undefined => {
  for (const one of idle) {
    if (isHeavier || now - one.since >= QUICK_MS) return one;
    break;
  }
  for (const one of busy) {
    if (now - one.since < QUICK_MS) break;
    if (waitsForClient(one)) return one;
  }
  return undefined;
};

/** Whose connection is closed for a newcomer; undefined where that one finds no room. */
const goesFor = ({ peer: own }: Connection, peers: Iterable<Peer>, now: number): Connection | undefined => {
  let first: Connection | undefined;
  for (const peer of peers) {
    const most = first?.peer.connections ?? own.connections;
    if (peer.connections < most) continue;
    const one = firstToGo(peer, peer.connections > own.connections, now);
    if (one && (!first || peer.connections > most || one.since < first.since)) first = one;
  }
  return first;
};

/** The addresses that connections come from. */
class Peers {
  readonly #isProxy: ConnectionShares['isProxy'];
  readonly #all = new Set<Peer>();
  readonly #byKey = new Map<string, Peer>();

  constructor(isProxy: ConnectionShares['isProxy']) {
    this.#isProxy = isProxy;
  }

  [Symbol.iterator](): Iterator<Peer> {
    return this.#all.values();
  }

  add(socket: Socket): Connection {
    const peer = this.#of(socket);
    peer.connections++;
    return { socket, peer, since: 0, underWay: 0 };
  }

  remove(one: Connection): void {
    const { peer } = one;
    peer.idle.delete(one);
    peer.busy.delete(one);
    if (--peer.connections > 0) return;
    this.#all.delete(peer);
    if (peer.key !== undefined) this.#byKey.delete(peer.key);
  }

  #of(socket: Socket): Peer {
    // A /48 has 65 536 networks, each of which would be one with few connections.
    const { address, network = address } = addressKeys(socket.remoteAddress ?? '');
    const key = this.#isProxy(socket) ? undefined : network;
    const known = key === undefined ? undefined : this.#byKey.get(key);
    if (known) return known;
    const peer: Peer = { key, connections: 0, idle: new Set(), busy: new Set() };
    this.#all.add(peer);
    if (key !== undefined) this.#byKey.set(key, peer);
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
 * for a second. Nobody loses one to an address that has more. Requests that are worked on, event streams and WebSockets go on.
 */
export const shareConnections = (
  server: Server,
  { maxConnections, isProxy }: ConnectionShares,
  log: Logger,
): void => {
  // Room is made for the one that was taken last, before Node.js would drop it without a word.
  server.maxConnections = maxConnections + 1;
  const connections = new Map<Socket, Connection>();
  const peers = new Peers(isProxy);
  const forget = (one: Connection): void => {
    if (connections.delete(one.socket)) peers.remove(one);
  };

  let closed = 0;
  let saidAt = Number.NEGATIVE_INFINITY;
  const makeRoomFor = (newcomer: Connection): void => {
    const now = performance.now();
    const one = goesFor(newcomer, peers, now) ?? newcomer;
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
    const one = known ?? peers.add(socket);
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
    if (one.underWay++ === 0) becomes(one, 'busy');
    response.once('close', () => {
      if (--one.underWay === 0 && connections.has(one.socket)) becomes(one, 'idle');
    });
  });
  server.on('upgrade', ({ socket }: IncomingMessage) => {
    const one = connections.get(socket);
    if (one) becomes(one, 'upgraded');
  });
};
