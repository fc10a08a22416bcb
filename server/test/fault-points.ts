import { fileURLToPath } from 'node:url';
import { MAIN, type ServerProcess, startServerProcess } from './server-process.ts';

const PRELOAD = fileURLToPath(new URL('./fault-points.mjs', import.meta.url));

type Write = { collection: string; method: string; writes?: string };

/** Each write on the way of an event, from the request that causes it to the record of its delivery. */
const WRITES: Record<string, Write> = {
  'a message is stored': { collection: 'messages', method: 'insertOne' },
  'a lead is changed': { collection: 'leads', method: 'findOneAndUpdate' },
  'the events of a deleted room are buried': { collection: 'tombstones', method: 'insertOne' },
  'a room is deleted': { collection: 'rooms', method: 'deleteOne' },
  'realtime clients are told': { collection: 'realtimeevents', method: 'bulkWrite' },
  'a notification is raised': { collection: 'keywordnotifications', method: 'insertOne' },
  'deliveries are made': { collection: 'deliveries', method: 'bulkWrite', writes: 'insertOne' },
  'a mail is made': { collection: 'mails', method: 'updateOne' },
  'a mail is asked for or claimed': { collection: 'outgoingmails', method: 'findOneAndUpdate' },
  'a mail is made due, fixed or finished': { collection: 'outgoingmails', method: 'updateOne' },
  'a mail is booked': { collection: 'usages', method: 'findOneAndUpdate' },
  'mails are marked as sent': { collection: 'mails', method: 'updateMany' },
  'events leave their messages': { collection: 'messages', method: 'updateMany' },
  'events leave their tombstones': { collection: 'tombstones', method: 'updateMany' },
  'an origin is claimed': { collection: 'webhookorigins', method: 'findOneAndUpdate' },
  'notifications are marked as sent': { collection: 'keywordnotifications', method: 'updateMany' },
  'attempts are recorded': { collection: 'deliveries', method: 'bulkWrite', writes: 'updateOne' },
};

/** A named moment at which a server process dies. */
export interface FaultPoint {
  name: string;
  dieAt: Write & { when: 'before' | 'after' };
}

export const FAULT_POINTS: readonly FaultPoint[] = Object.entries(WRITES).flatMap(([name, write]) =>
  (['before', 'after'] as const).map((when) => ({ name: `${when} ${name}`, dieAt: { ...write, when } })),
);

/** Starts the built server, which dies by itself at a point: the `nth` time that it gets there. */
export const startDoomedServer = (
  settings: Record<string, string>,
  { dieAt }: FaultPoint,
  nth = 1,
): Promise<ServerProcess> =>
  startServerProcess({ ...settings, DIE_AT: JSON.stringify({ ...dieAt, nth }) }, [
    process.execPath,
    '--import',
    PRELOAD,
    MAIN,
  ]);

/** Starts the built server with a delay, in milliseconds, before each such operation on a collection. */
export const startSlowServer = (
  settings: Record<string, string>,
  slowAt: { collection: string; method: string; ms: number },
): Promise<ServerProcess> =>
  startServerProcess({ ...settings, SLOW_AT: JSON.stringify(slowAt) }, [
    process.execPath,
    '--import',
    PRELOAD,
    MAIN,
  ]);

/** What makes a command of the command line die by itself at a point. */
export const commandDyingAt = (dieAt: FaultPoint['dieAt'], nth = 1): Record<string, string> => ({
  NODE_OPTIONS: `--import=${PRELOAD}`,
  DIE_AT: JSON.stringify({ ...dieAt, nth }),
});
