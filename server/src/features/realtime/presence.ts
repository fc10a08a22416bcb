import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { wholeAccount } from '../members/view.ts';
import type { RoomsService } from '../rooms/rooms.service.ts';
import type { Channel } from './channel.ts';
import type { Connection, Viewer } from './connection.ts';
import type { EventLogEntry } from './event-log.model.ts';
import type { NewEntry } from './event-log.ts';
import { ownFrame } from './frames.ts';
import { Newcomers } from './newcomers.ts';
import { type Attendee, attendeeOf, keyOf, type PresenceStore } from './presence-store.ts';

/** Arrivals and departures are told together, this often. */
const LOOK_EVERY_MS = 250;
/** Who comes back within this time, as after a reload of the page, was never gone. */
const GRACE_MS = 3_000;
const RENEW_EVERY_MS = 60_000;
const SWEEP_EVERY_MS = 15_000;
/** For how long it is known whether an account's members are there, and of how many accounts. */
const KNOWN_FOR_MS = 1_000;
const MAX_KNOWN = 1_000;
/** By then every process knows of a member who has been stored, and tells of visitors itself. */
const KNOWN_TO_ALL_AFTER_MS = KNOWN_FOR_MS + 500;
/** How many visitors a member who arrives is told of. */
const MAX_TOLD = 500;
/** Among how many they are looked for, for one that sees some of them only. */
const MAX_LOOKED_AT = 5_000;
/** While the database is slow or gone no more than this waits for it. */
const MAX_WAITING = 10;

interface Own {
  attendee: Attendee;
  connections: number;
  goneAt: number;
  isStored: boolean;
}

/**
 * Tells operators which visitors are there, and visitors whether somebody is there to answer
 * (docs/contract.md#live-channel). Nobody is told of a room before it exists, and nothing is told of visitors
 * while no operator is there to hear it.
 */
export class PresenceService {
  readonly #store: PresenceStore;
  readonly #channel: Channel;
  readonly #rooms: Pick<RoomsService, 'existing'>;
  readonly #log: Logger;
  readonly #own = new Map<string, Own>();
  /** Those of them about whom there is something to do. */
  readonly #changed = new Set<Own>();
  readonly #newcomers = new Newcomers(KNOWN_TO_ALL_AFTER_MS);
  readonly #known = new LRUCache<string, Promise<boolean>>({ max: MAX_KNOWN, ttl: KNOWN_FOR_MS });
  #timers: NodeJS.Timeout[] = [];
  #running: Promise<void> | undefined;
  #waiting = 0;

  constructor(store: PresenceStore, channel: Channel, rooms: Pick<RoomsService, 'existing'>, log: Logger) {
    this.#store = store;
    this.#channel = channel;
    this.#rooms = rooms;
    this.#log = log;
    channel.onEntry((entry) => this.#heard(entry));
  }

  start(): void {
    this.#timers = [
      setInterval(() => {
        if (this.#changed.size > 0) this.#run(() => this.#look());
        if (this.#newcomers.size > 0) this.#run(() => this.#greetAgain());
      }, LOOK_EVERY_MS),
      setInterval(() => this.#run(() => this.#renew()), RENEW_EVERY_MS),
      setInterval(() => this.#run(() => this.sweep()), SWEEP_EVERY_MS),
    ];
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#running;
    if (this.#own.size > 0) await this.#store.leave();
  }

  arrived(viewer: Viewer): void {
    const attendee = attendeeOf(viewer);
    const key = keyOf(attendee);
    const own = this.#own.get(key) ?? { attendee, connections: 0, goneAt: 0, isStored: false };
    own.connections++;
    if (viewer.side === 'person' && !this.#own.has(key)) this.#newcomers.came(viewer.account);
    this.#own.set(key, own);
    if (!own.isStored) this.#changed.add(own);
    // Before it learns who is there: a visitor who is stored after that is told of.
    if (viewer.side === 'person') {
      this.#known.set(viewer.account, Promise.resolve(true));
    }
  }

  left(viewer: Viewer): void {
    const own = this.#own.get(keyOf(attendeeOf(viewer)));
    if (!own) return;
    own.connections--;
    own.goneAt = performance.now();
    if (own.connections === 0) this.#changed.add(own);
  }

  /** Tells a client that has just become ready who is there. */
  async greet(connection: Connection, viewer: Viewer): Promise<void> {
    await this.#greet(connection, viewer).catch((error) =>
      this.#log.debug({ err: error }, 'a client was not told who is there'),
    );
  }

  async #greet(connection: Connection, viewer: Viewer): Promise<void> {
    if (viewer.side === 'visitor') {
      const online = await this.#isMemberThere(viewer.account);
      connection.send(ownFrame({ type: 'presence', data: { sender: 'person', online } }));
      return;
    }
    const isRestricted = viewer.widgets !== undefined || viewer.rooms !== undefined;
    const there = await this.#store.rooms(viewer.account, isRestricted ? MAX_LOOKED_AT : MAX_TOLD);
    this.#newcomers.told(viewer.account, there);
    let told = 0;
    for (let from = 0; from < there.length && told < MAX_TOLD; from += MAX_TOLD) {
      for (const { _id: room } of await this.#rooms.existing(viewer, there.slice(from, from + MAX_TOLD))) {
        if (viewer.rooms && !viewer.rooms.has(room)) continue;
        connection.send(ownFrame({ type: 'presence', room, data: { sender: 'visitor', online: true } }));
        told++;
      }
    }
  }

  #greetAgain(): Promise<void> {
    return this.#newcomers.tellMissed(
      (account) => this.#store.rooms(account, MAX_TOLD),
      (account, missed) =>
        this.#tell(
          missed.map((room) => ({ account, side: 'visitor', room })),
          true,
        ),
    );
  }

  /** Finds who went with a process that died, some at a time. */
  async sweep(): Promise<void> {
    const left = await this.#store.removeLeft();
    await this.#tellGone(left);
    if (left.length > 0) this.#run(() => this.sweep());
  }

  async #renew(): Promise<void> {
    if (await this.#store.renew()) return;
    for (const own of this.#own.values()) {
      own.isStored = false;
      this.#changed.add(own);
    }
  }

  async #look(): Promise<void> {
    const now = performance.now();
    const changed = [...this.#changed];
    const arrived = changed.filter(({ connections, isStored }) => connections > 0 && !isStored);
    const gone = changed.filter(({ connections, goneAt }) => connections === 0 && now - goneAt > GRACE_MS);
    if (arrived.length > 0) {
      await this.#store.add(arrived.map(({ attendee }) => attendee));
      for (const own of arrived) {
        own.isStored = true;
        if (own.attendee.side === 'person') this.#newcomers.stored(own.attendee.account);
      }
      await this.#tell(
        arrived.map(({ attendee }) => attendee),
        true,
      );
    }
    if (gone.length > 0) await this.#store.remove(gone.map(({ attendee }) => attendee));
    const leaving: Attendee[] = [];
    for (const own of gone) {
      own.isStored = false;
      // Somebody may have come back while the database was asked.
      if (own.connections > 0) continue;
      this.#own.delete(keyOf(own.attendee));
      if (own.attendee.side === 'person') this.#newcomers.gone(own.attendee.account);
      leaving.push(own.attendee);
    }
    for (const own of changed) {
      if (own.connections > 0 ? own.isStored : !this.#own.has(keyOf(own.attendee))) this.#changed.delete(own);
    }
    await this.#tellGone(leaving);
  }

  async #tellGone(gone: readonly Attendee[]): Promise<void> {
    const there = await this.#store.visited(gone.flatMap(({ room }) => room ?? []));
    const nowhere: Attendee[] = [];
    for (const attendee of gone) {
      const { account, room } = attendee;
      const isThere = room === undefined ? await this.#store.hasMember(account) : there.has(room);
      if (!isThere) nowhere.push(attendee);
    }
    if (nowhere.length > 0) await this.#tell(nowhere, false);
  }

  async #tell(all: readonly Attendee[], online: boolean): Promise<void> {
    const entries: Omit<NewEntry, 'event' | 'at'>[] = [];
    for (const account of new Set(all.map((attendee) => attendee.account))) {
      const own = all.filter((attendee) => attendee.account === account);
      if (own.some(({ side }) => side === 'person')) {
        this.#known.delete(account);
        entries.push({ name: 'presence', account, data: { sender: 'person', online } });
      }
      const rooms = own.flatMap(({ room }) => room ?? []);
      if (rooms.length === 0 || !(await this.#isMemberThere(account))) continue;
      for (const { _id: room, widget } of await this.#rooms.existing(wholeAccount(account), rooms)) {
        entries.push({ name: 'presence', account, room, widget, data: { sender: 'visitor', online } });
      }
    }
    await this.#channel.passAll(entries);
  }

  /** A room that has come to be has its visitor in it. */
  #heard({ name, account, room }: EventLogEntry): void {
    if (name !== 'chat.added' || room === undefined) return;
    const own = this.#own.get(keyOf({ account, side: 'visitor', room }));
    if (own && own.connections > 0) this.#run(() => this.#tell([own.attendee], true));
  }

  #isMemberThere(account: string): Promise<boolean> {
    const known = this.#known.get(account);
    if (known) return known;
    const isThere = this.#store.hasMember(account);
    this.#known.set(account, isThere);
    isThere.catch(() => this.#known.delete(account));
    return isThere;
  }

  /** One thing after another; what fails is tried again with the next look. */
  #run(work: () => Promise<void>): void {
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting++;
    this.#running = (this.#running ?? Promise.resolve())
      .then(work)
      .catch((error) => this.#log.debug({ err: error }, 'presence could not be told'))
      .finally(() => {
        this.#waiting--;
      });
  }
}
