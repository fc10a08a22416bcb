import type { Channel } from './channel.ts';
import type { Connection } from './connection.ts';
import type { EventLogEntry } from './event-log.model.ts';
import { frameText, isPassing, ownFrame } from './frames.ts';
import type { RecentFrame } from './recent-frames.ts';

/** How far back `after` reaches (docs/contract.md#live-channel). */
const REACH_MS = 3_600_000;

/** Entries that one step of a replay reads. */
const PAGE = 200;

/** How long this process may be behind the one that a client comes from. */
const CATCH_UP_MS = 1_000;
const LOOK_EVERY_MS = 20;

/** Where a client goes on: after this entry, and whether it has missed what can't be replayed. */
interface Start {
  last: Pick<EventLogEntry, '_id' | 'event'>;
  isTooOld: boolean;
}

const findStart = async ({ log, tail, recent }: Channel, after: string | undefined): Promise<Start> => {
  if (after === undefined) return { last: tail.last, isTooOld: false };
  const opened = log.openId(after);
  if (!opened) return { last: tail.last, isTooOld: true };
  const { place, isOf } = opened;
  for (const deadline = performance.now() + CATCH_UP_MS; place > tail.position; ) {
    if (performance.now() > deadline) return { last: tail.last, isTooOld: true };
    tail.wake();
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  if (place === tail.position) return { last: tail.last, isTooOld: !isOf(tail.last.event) };
  // If the first event that was missed is there and young enough, so are all after it.
  const kept = recent.after(place);
  const [own, next] = await Promise.all([
    recent.at(place) ?? log.read.at(place),
    kept ? kept[0]?.entry : log.read.at(place + 1),
  ]);
  // The place may have been another event's before the database was put back to what it was earlier.
  const event = own?.event ?? '';
  const isThere = next ? next.at.getTime() > Date.now() - REACH_MS : kept !== undefined;
  return isOf(event) && isThere
    ? { last: { _id: place, event }, isTooOld: false }
    : { last: tail.last, isTooOld: true };
};

/** Events after `place` for this client, and the place up to which they are all of them. */
const read = async (
  { log, tail, recent }: Channel,
  { viewer }: Connection,
  place: number,
): Promise<{ told: RecentFrame[]; until: number }> => {
  const until = tail.position;
  const kept = recent.after(place);
  if (kept) return { told: kept, until };
  if (!viewer) throw new Error('nothing is replayed before the credential was found good');
  const found =
    viewer.side === 'visitor'
      ? await log.read.ofRoom({ room: viewer.room, place, until, limit: PAGE })
      : await log.read.ofAccount(viewer.account, place, until, PAGE);
  const told = found
    .filter((entry) => entry.name !== 'void' && entry.name !== 'control' && !isPassing(entry))
    .flatMap((entry) => {
      const text = frameText(entry, log.idOf(entry));
      return text === undefined ? [] : [{ entry, text }];
    });
  const last = found.at(-1);
  return { told, until: found.length === PAGE && last ? last._id : until };
};

/**
 * Answers a client whose credential is good: `ready`, then what it missed since `after`, in order, each once, and
 * from then on what happens. Where that is not known any more, `resync`.
 */
export const replay = async (
  channel: Channel,
  connection: Connection,
  after: string | undefined,
): Promise<void> => {
  const start = await findStart(channel, after);
  let place = start.last._id;
  connection.send(ownFrame({ type: 'ready', after: channel.log.idOf(start.last) }));
  if (start.isTooOld) connection.send(ownFrame({ type: 'resync' }));
  // Between the last look at the position and going live nothing else can run.
  while (connection.isOpen && place !== channel.tail.position) {
    const { told, until } = await read(channel, connection, place);
    place = until;
    for (const { entry, text } of told) {
      if (!connection.sees(entry)) continue;
      connection.send(text);
      if (connection.isDrained) continue;
      // It has to read that first: whoever missed much is not too slow for it.
      place = entry._id;
      break;
    }
    await connection.drained();
  }
  connection.isLive = connection.isOpen;
};
