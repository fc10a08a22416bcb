import { CLOSE_CODES } from '@parlor/shared';
import type { Connection, Viewer } from './connection.ts';
import type { LogEntry } from './event-log.model.ts';

/**
 * Which credential has ended: all tokens of a member but the one of that fingerprint (an older process does not name the
 * member; an empty fingerprint is nobody's), a program's token, a visitor's session, a widget.
 */
export type Ended =
  | { token: string; member?: string }
  | { program: string }
  | { session: string }
  | { widget: string };

/** How long the end of a credential is remembered, for clients that were being authenticated meanwhile. */
const REMEMBERED_FOR_MS = 10_000;

const hasEnded = (viewer: Viewer, account: string, ended: Ended): boolean => {
  if (viewer.account !== account) return false;
  if (viewer.side === 'person') {
    if ('program' in ended) return viewer.program === ended.program;
    if (!('token' in ended)) return false;
    const isOfMember = ended.member === undefined || ended.member === viewer.member;
    // A program's token outlives its member's, but not the member.
    if (viewer.program !== undefined) return isOfMember && ended.token === '';
    return isOfMember && !viewer.fingerprints.includes(ended.token);
  }
  return (
    ('session' in ended && viewer.session === ended.session) ||
    ('widget' in ended && viewer.widget === ended.widget)
  );
};

const endOf = (connection: Connection): void =>
  connection.close(CLOSE_CODES.not_authenticated, 'the credential has ended');

/** The clients of this process whose credential is good, found by what they may see. */
export class Audience {
  readonly #byAccount = new Map<string, Set<Connection>>();
  readonly #byRoom = new Map<string, Set<Connection>>();
  readonly #ended = new Map<string, { account: string; ended: Ended; at: number }>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(connection: Connection): void {
    const [map, key] = this.#placeOf(connection);
    const set = map.get(key);
    if (set?.has(connection)) return;
    if (set) set.add(connection);
    else map.set(key, new Set([connection]));
    this.#size++;
    for (const { account, ended } of this.#ended.values()) {
      if (connection.viewer && hasEnded(connection.viewer, account, ended)) endOf(connection);
    }
  }

  remove(connection: Connection): void {
    if (!connection.viewer) return;
    const [map, key] = this.#placeOf(connection);
    const set = map.get(key);
    if (!set?.delete(connection)) return;
    this.#size--;
    if (set.size === 0) map.delete(key);
  }

  /** Sends an event to all that may see it and are up to date. */
  tell(entry: LogEntry, text: string): void {
    let bytes: Buffer | undefined;
    for (const connection of this.#of(entry)) {
      if (!connection.isLive || !connection.sees(entry)) continue;
      // One copy for all of them.
      bytes ??= Buffer.from(text);
      connection.send(bytes);
    }
  }

  /** Closes the connections of an account whose credential has ended. */
  end(account: string, ended: Ended): void {
    for (const connection of [...this.persons(), ...this.visitors()]) {
      if (connection.viewer && hasEnded(connection.viewer, account, ended)) endOf(connection);
    }
    const now = performance.now();
    for (const [key, { at }] of this.#ended) if (now - at > REMEMBERED_FOR_MS) this.#ended.delete(key);
    // Of the resets of one member's token the last one counts.
    const key = 'token' in ended ? `token ${account} ${ended.member}` : JSON.stringify(ended);
    this.#ended.set(key, { account, ended, at: now });
  }

  /** The connections of operators' programs. */
  *persons(): Iterable<Connection> {
    for (const set of this.#byAccount.values()) yield* set;
  }

  *visitors(): Iterable<Connection> {
    for (const set of this.#byRoom.values()) yield* set;
  }

  *#of({ name, account, room }: LogEntry): Iterable<Connection> {
    yield* this.#byAccount.get(account) ?? [];
    if (room !== undefined) yield* this.#byRoom.get(room) ?? [];
    else if (name === 'presence') yield* this.visitors();
  }

  #placeOf({ viewer }: Connection): [map: Map<string, Set<Connection>>, key: string] {
    if (!viewer) throw new Error('only a connection whose credential is good has an audience');
    return viewer.side === 'visitor' ? [this.#byRoom, viewer.room] : [this.#byAccount, viewer.account];
  }
}
