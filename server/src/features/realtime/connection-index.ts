import { CLOSE_CODES } from '@parlor/shared';
import type { View } from '../members/view.ts';
import type { Connection, Viewer } from './connection.ts';
import type { EventLogEntry } from './event-log.model.ts';

/**
 * Which credential has ended: all tokens of a member but the one of that fingerprint (an older process does not name the
 * member; an empty fingerprint is nobody's), a program's token, sessions of members, a visitor's session, a widget; or which
 * widgets a member sees from now on, null being all.
 */
export type Ended =
  | { token: string; member?: string }
  | { program: string }
  | { memberSessions: readonly string[] }
  | { session: string }
  | { widget: string }
  | { member: string; widgets: readonly string[] | null };

/** How long the end of a credential is remembered, for clients that were being authenticated meanwhile. */
const REMEMBERED_FOR_MS = 10_000;

const hasEnded = (viewer: Viewer, account: string, ended: Ended): boolean => {
  if (viewer.account !== account) return false;
  if (viewer.side === 'person') {
    const { credential, member } = viewer;
    if ('program' in ended) return credential.kind === 'program' && credential.uuid === ended.program;
    if ('memberSessions' in ended) {
      return credential.kind === 'session' && ended.memberSessions.includes(credential.uuid);
    }
    if (!('token' in ended)) return false;
    const isOfMember = ended.member === undefined || ended.member === member;
    // A program's token and a session outlive the member's token, but not the member.
    if (credential.kind !== 'token') return isOfMember && ended.token === '';
    return isOfMember && !credential.fingerprints.includes(ended.token);
  }
  return (
    ('session' in ended && viewer.session === ended.session) ||
    ('widget' in ended && viewer.widget === ended.widget)
  );
};

/** What a viewer sees from now on; undefined where nothing has changed for it. */
const restrictionBy = (
  viewer: Viewer,
  account: string,
  ended: Ended,
): { widgets: View['widgets'] } | undefined => {
  if (viewer.side !== 'person' || viewer.account !== account) return undefined;
  if ('widgets' in ended) {
    return ended.member === viewer.member ? { widgets: ended.widgets ?? undefined } : undefined;
  }
  if ('widget' in ended && viewer.widgets?.includes(ended.widget)) {
    return { widgets: viewer.widgets.filter((uuid) => uuid !== ended.widget) };
  }
  return undefined;
};

const apply = (connection: Connection, account: string, ended: Ended): void => {
  const { viewer } = connection;
  if (!viewer) return;
  if (hasEnded(viewer, account, ended)) endOf(connection);
  const restriction = restrictionBy(viewer, account, ended);
  if (restriction) connection.restrict(restriction.widgets);
};

const endOf = (connection: Connection): void =>
  connection.close(CLOSE_CODES.not_authenticated, 'the credential has ended');

/** Of the resets of one member's token the last one counts, and so of what it sees. */
const keyOf = (account: string, ended: Ended): string => {
  if ('token' in ended) return `token ${account} ${ended.member}`;
  return 'widgets' in ended ? `widgets ${ended.member}` : JSON.stringify(ended);
};

/** The clients of this process whose credential is good, found by what they may see. */
export class ConnectionIndex {
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
    for (const { account, ended, at } of this.#ended.values()) {
      // What was told before it was asked who this is, and what it sees, is known with that.
      if (('widgets' in ended || 'memberSessions' in ended) && at < connection.viewedAt) continue;
      apply(connection, account, ended);
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
  tell(entry: EventLogEntry, text: string): void {
    let bytes: Buffer | undefined;
    for (const connection of this.#of(entry)) {
      if (!connection.isLive || !connection.sees(entry)) continue;
      // One copy for all of them.
      bytes ??= Buffer.from(text);
      connection.send(bytes);
    }
  }

  /** Closes the connections of an account whose credential has ended, or shows them what they see from now on. */
  end(account: string, ended: Ended): void {
    for (const connection of [...this.members(), ...this.visitors()]) {
      apply(connection, account, ended);
    }
    const now = performance.now();
    for (const [key, { at }] of this.#ended) if (now - at > REMEMBERED_FOR_MS) this.#ended.delete(key);
    this.#ended.set(keyOf(account, ended), { account, ended, at: now });
  }

  /** The connections of members and their programs, of one account or of all. */
  *members(account?: string): Iterable<Connection> {
    if (account !== undefined) yield* this.#byAccount.get(account) ?? [];
    else for (const set of this.#byAccount.values()) yield* set;
  }

  *visitors(): Iterable<Connection> {
    for (const set of this.#byRoom.values()) yield* set;
  }

  *#of({ name, account, room }: EventLogEntry): Iterable<Connection> {
    yield* this.#byAccount.get(account) ?? [];
    if (room !== undefined) yield* this.#byRoom.get(room) ?? [];
    else if (name === 'presence') yield* this.visitors();
  }

  #placeOf({ viewer }: Connection): [map: Map<string, Set<Connection>>, key: string] {
    if (!viewer) throw new Error('only a connection whose credential is good is in the index');
    return viewer.side === 'visitor' ? [this.#byRoom, viewer.room] : [this.#byAccount, viewer.account];
  }
}
