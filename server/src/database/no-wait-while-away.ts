import { type Connection, mongo } from 'mongoose';
import type { Duration } from '../platform/duration.ts';

/** What the driver (mongodb 7.8 and 7.9) looks for a server with, as far as it is used here. */
interface Topology {
  readonly description: mongo.TopologyDescription;
  selectServer(selector: unknown, options: { signal?: AbortSignal }): Promise<unknown>;
  on(event: 'topologyDescriptionChanged', listener: () => void): unknown;
}

/** Long enough to see a server that has just come back, since the driver asks it again for each that waits. */
const GLANCE_MS = 50;

/**
 * MongoDB elects another primary when it has not heard of one for 10 s (`electionTimeoutMillis`), and takes some seconds for
 * it. Members are there meanwhile.
 */
const ELECTION_MS = 15_000;

/** What takes writes, and reads unless MONGODB_URL sends them elsewhere. */
const TAKES_WRITES: ReadonlySet<string> = new Set(['Standalone', 'Mongos', 'RSPrimary', 'LoadBalancer']);

const isThere = ({ type, servers }: mongo.TopologyDescription): boolean =>
  [...servers.values()].some((server) =>
    type === 'Single' ? server.type !== 'Unknown' : TAKES_WRITES.has(server.type),
  );

/** How long all together wait for a server. @param timeout how long one operation does by itself */
export const patienceWith = (
  { servers }: Pick<mongo.TopologyDescription, 'servers'>,
  timeout: Duration,
): Duration =>
  [...servers.values()].some(({ type }) => type === 'RSSecondary') ? Math.max(timeout, ELECTION_MS) : timeout;

/**
 * Lets all operations together wait for a database that is away: from the moment on at which the driver has lost it, as for
 * an election or a restart, and then each for a glance only. By itself the driver lets each wait anew, so that a
 * line of them, or a request with several, takes many times as long. What finds a server never waits, so that all is as
 * before once the driver's monitor has seen one.
 */
export const waitTogether = (connection: Connection, timeout: Duration): void => {
  const { topology } = connection.getClient() as unknown as { topology: Topology };
  let awaySince: number | undefined;
  topology.on('topologyDescriptionChanged', () => {
    awaySince = isThere(topology.description) ? undefined : (awaySince ?? performance.now());
  });
  const select = topology.selectServer;
  topology.selectServer = async (selector, options) => {
    if (awaySince === undefined) return select.call(topology, selector, options);
    const patience = patienceWith(topology.description, timeout);
    const wait = Math.max(GLANCE_MS, awaySince + patience - performance.now());
    const over = new AbortController();
    const message = `the database has been away for longer than ${patience} ms`;
    const timer = setTimeout(
      () => over.abort(new mongo.MongoServerSelectionError(message, topology.description)),
      wait,
    );
    const signal = options.signal ? AbortSignal.any([options.signal, over.signal]) : over.signal;
    try {
      return await select.call(topology, selector, { ...options, signal });
    } finally {
      clearTimeout(timer);
    }
  };
};
