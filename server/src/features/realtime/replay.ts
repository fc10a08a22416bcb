import type { Channel } from './channel.ts';
import type { Connection } from './connection.ts';
import type { EventLogEntry } from './event-log.model.ts';
import { frameText, isPassing, ownFrame } from './frames.ts';
import type { RecentFrame } from './recent-frames.ts';

/** How far back `after` reaches (docs/contract.md#live-channel). */
const REACH_MS = 3_600_000;

/**
 * What one step of a replay sends: the frames up to the one that goes beyond this many characters. Nothing is kept while the
 * client reads them.
 */
const STEP_CHARACTERS = 65_536;

/** Entries that the first step reads from the log, and the longest ones. */
const FIRST_READ = 8;
const MAX_READ = 200;

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

/** What one step of a replay has to send. */
interface Step {
  told: string[];
  /** The place up to which these are all that the client sees. */
  until: number;
  /** Whether there was more than one step sends. */
  isFull: boolean;
}

/** The frames of one step, made as far as they are sent. */
const stepOf = (frames: Iterable<RecentFrame>, connection: Connection, until: number): Step => {
  const told: string[] = [];
  let characters = 0;
  for (const { entry, text } of frames) {
    if (!connection.sees(entry)) continue;
    told.push(text);
    characters += text.length;
    if (characters > STEP_CHARACTERS) return { told, until: entry._id, isFull: true };
  }
  return { told, until, isFull: false };
};

/** The frames of what is told again, among what the log holds for a client. */
function* framesOf(entries: readonly EventLogEntry[], { log }: Channel): Generator<RecentFrame> {
  for (const entry of entries) {
    if (entry.name === 'void' || entry.name === 'control' || isPassing(entry)) continue;
    const text = frameText(entry, log.idOf(entry));
    if (text !== undefined) yield { entry, text };
  }
}

/** The next step of a client that has everything up to `place`, of up to `limit` entries of the log. */
const nextStep = async (
  channel: Channel,
  connection: Connection,
  place: number,
  limit: number,
): Promise<Step> => {
  const { log, tail, recent } = channel;
  const until = tail.position;
  const kept = recent.after(place);
  if (kept) return stepOf(kept, connection, until);
  const { viewer } = connection;
  if (!viewer) throw new Error('nothing is replayed before the credential was found good');
  const found =
    viewer.side === 'visitor'
      ? await log.read.ofRoom({ room: viewer.room, place, until, limit })
      : await log.read.ofAccount(viewer.account, place, until, limit);
  const last = found.length === limit ? found.at(-1)?._id : undefined;
  return stepOf(framesOf(found, channel), connection, last ?? until);
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
  let limit = FIRST_READ;
  // Between the last look at the position and going live nothing else can run.
  while (connection.isOpen && place !== channel.tail.position) {
    const { told, until, isFull } = await nextStep(channel, connection, place, limit);
    place = until;
    for (const text of told) connection.send(text);
    // As many as were sent where they are long: what is not sent is read again.
    limit = isFull ? told.length : Math.min(MAX_READ, limit * 2);
    // It has to read that first: whoever missed much is not too slow for it.
    await connection.drained();
  }
  connection.isLive = connection.isOpen;
};
