import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { databaseAway } from '../../database/unavailable.ts';
import { ParlorError } from '../../platform/errors.ts';
import { isSameRestriction, type View } from '../members/view.ts';
import type { Channel } from '../realtime/channel.ts';
import type { Connection, Viewer } from '../realtime/connection.ts';
import { ownFrame } from '../realtime/frames.ts';
import type { InboxCounts, Shared } from './counts.ts';

/** What happens at once is counted once, and the next time not before this (milliseconds). */
const GATHER_MS = 200;
const EVERY_MS = 2_000;
/** What fails of a member is tried again after growing pauses: counting may take as long as it is given. */
const MOST_DOUBLINGS = 5;

/** What an event leads to may be written a moment after it was told: each change is counted a second time. */
const TIMES = 2;

/** Members whose numbers are counted side by side: others wait behind two counts of each. */
const AT_ONCE = 2;

/**
 * Between two such groups it rests this many times as long as the one before took, up to a bound: counting for 100 members at a
 * stretch would make all else that is asked of the database wait.
 */
const REST = 3;
const MOST_REST_MS = 2_000;

/** Events after which numbers of the side bar may be others. */
const CHANGING: ReadonlySet<string> = new Set([
  'message.added',
  'chat.added',
  'conversation.updated',
  'conversation.marked',
  'note.added',
  'note.changed',
]);

type MemberViewer = Extract<Viewer, { side: 'person' }>;

/** What some members see, and what of it is the same for all of them in one round. */
interface Seen {
  view: View;
  shared?: Promise<Shared>;
}

/** What asks for the numbers of one member in one view. */
interface Asking {
  key: string;
  seen: Seen;
  member: string;
  connections: Connection[];
}

/** A count that has failed, and when it is tried again (`performance.now()`). */
interface Failed {
  times: number;
  again: number;
}

/** An account whose numbers are being told. */
interface Telling {
  /** How many times more. */
  left: number;
  /** By member and view. */
  failed: Map<string, Failed>;
}

const isFollowing = ({ viewer, isLive }: Connection): boolean =>
  isLive && viewer?.side === 'person' && viewer.followsCounts;

/**
 * Tells members the numbers of their side bar when they may have changed: gathered, and each account's after those
 * before (docs/realtime.md#what-you-are-told).
 */
export class CountsTeller {
  readonly #channel: Pick<Channel, 'connections'>;
  readonly #counts: Pick<InboxCounts, 'of' | 'shared'>;
  readonly #log: Logger;
  readonly #telling = new Map<string, Telling>();
  readonly #told = new WeakMap<Connection, string>();
  readonly #stopping = new AbortController();

  constructor(
    channel: Pick<Channel, 'connections' | 'onEntry' | 'onRecount'>,
    counts: Pick<InboxCounts, 'of' | 'shared'>,
    log: Logger,
  ) {
    this.#channel = channel;
    this.#counts = counts;
    this.#log = log;
    channel.onEntry(({ name, account }) => {
      if (CHANGING.has(name)) this.changed(account);
    });
    channel.onRecount((account) => this.changed(account));
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Numbers of an account may have changed. */
  changed(account: string): void {
    const telling = this.#telling.get(account);
    if (telling) telling.left = TIMES;
    else if (this.#following(account).length > 0) void this.#tell(account);
  }

  /** Tells a connection that has just come. */
  greet({ viewer }: Connection): void {
    if (viewer?.side === 'person' && viewer.followsCounts) this.changed(viewer.account);
  }

  #following(account: string): Connection[] {
    return [...this.#channel.connections.members(account)].filter(isFollowing);
  }

  async #tell(account: string): Promise<void> {
    const telling: Telling = { left: TIMES, failed: new Map() };
    this.#telling.set(account, telling);
    try {
      for (let pause = GATHER_MS; telling.left > 0 || telling.failed.size > 0; pause = EVERY_MS) {
        await this.#pause(pause);
        const isChanged = telling.left > 0;
        if (isChanged) telling.left--;
        await this.#tellNow(account, telling.failed, isChanged);
      }
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error;
    } finally {
      this.#telling.delete(account);
    }
  }

  /**
   * @param failed those who were not told: they are tried again for as long as they follow, since the next change may be
   *   hours away
   * @param isChanged whether all others are to be told, too
   */
  async #tellNow(account: string, failed: Map<string, Failed>, isChanged: boolean): Promise<void> {
    const following = this.#askings(account);
    for (const key of failed.keys()) if (!following.has(key)) failed.delete(key);
    const now = performance.now();
    const all = [
      ...[...following.values()].filter(({ key }) => isChanged && !failed.has(key)),
      // What has failed may take long again: nobody waits for it.
      ...[...following.values()].filter(
        ({ key }) => (failed.get(key)?.again ?? Number.POSITIVE_INFINITY) <= now,
      ),
    ];
    for (let from = 0; from < all.length; from += AT_ONCE) {
      const some = all.slice(from, from + AT_ONCE);
      const begun = performance.now();
      await Promise.all(
        some.map((asking) =>
          this.#tellOne(asking).then(
            () => failed.delete(asking.key),
            (error) => failed.set(asking.key, this.#failedAgain(account, failed.get(asking.key), error)),
          ),
        ),
      );
      if (from + AT_ONCE < all.length)
        await this.#pause(Math.min(REST * (performance.now() - begun), MOST_REST_MS));
    }
  }

  /** Who follows, by member and view. */
  #askings(account: string): Map<string, Asking> {
    const askings = new Map<string, Asking>();
    const byView = new Map<string, Seen>();
    for (const connection of this.#following(account)) {
      const { member, widgets } = connection.viewer as MemberViewer;
      const viewKey = (widgets ?? ['all']).join(' ');
      const seen = byView.get(viewKey) ?? { view: { account, widgets } };
      byView.set(viewKey, seen);
      const key = `${member} ${viewKey}`;
      const asking = askings.get(key) ?? { key, seen, member, connections: [] };
      asking.connections.push(connection);
      askings.set(key, asking);
    }
    return askings;
  }

  /** Nothing is counted while the database is away: that is tried again at once, and everything else after a longer pause. */
  #failedAgain(account: string, before: Failed | undefined, error: unknown): Failed {
    const times = databaseAway(error) ? 0 : (before?.times ?? 0) + 1;
    // That too many of the account wait is no fault, nor that a stop has closed the database meanwhile.
    const isFault = !(error instanceof ParlorError) && !this.#stopping.signal.aborted;
    if (isFault && (times > 0 || !before))
      this.#log.warn({ err: error, account }, 'numbers could not be told');
    const pause = times === 0 ? 0 : EVERY_MS * 2 ** Math.min(times, MOST_DOUBLINGS);
    return { times, again: performance.now() + pause };
  }

  #pause(milliseconds: number): Promise<void> {
    return sleep(milliseconds, undefined, { ref: false, signal: this.#stopping.signal });
  }

  async #tellOne({ seen, member, connections }: Asking): Promise<void> {
    const { view } = seen;
    seen.shared ??= this.#counts.shared(view);
    const data = await this.#counts.of(view, member, seen.shared);
    const text = ownFrame({ type: 'counts', data });
    // What it sees may be another view by now, which is told with that change.
    for (const connection of connections) {
      const { widgets } = connection.viewer as MemberViewer;
      if (!isFollowing(connection) || !isSameRestriction(widgets, view.widgets)) continue;
      if (this.#told.get(connection) === text) continue;
      this.#told.set(connection, text);
      connection.send(text);
    }
  }
}
