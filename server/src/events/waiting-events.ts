import { setTimeout as sleep } from 'node:timers/promises';
import type { Model } from 'mongoose';
import { EVER, isPast } from '../database/has-come.ts';
import { partsOf } from '../platform/parts.ts';
import { type EventHolder, type OutboxEvent, subjectOf } from './events.ts';
import { LEFT_BEHIND_AFTER_MS } from './left-behind.ts';
import type { Relay } from './relay.ts';
import type { Tombstones } from './tombstones.ts';

type HolderModel = Model<EventHolder>;

/** A document with events that have not been announced. */
interface Holder {
  model: HolderModel;
  _id: string;
  events: ReadonlySet<string>;
  /** What they tell of: rooms and leads, by uuid. */
  subjects: ReadonlySet<string>;
}

/** How long it is waited for (milliseconds). */
const WITHIN_MS = 60_000;

/** How many documents are looked at together, and of how many the events are in memory. */
const BATCH = 500;
const ANNOUNCED_TOGETHER = 20;

/** How often it is looked, and how often they are announced anew. */
const LOOK_EVERY_MS = 50;
const AGAIN_AFTER_MS = 1_000;

/**
 * What waited, then what the consumers have made of that, and so on: a message raises a notification, which is told in turn.
 * What others do meanwhile is not waited for: on a busy account there is always something.
 */
const ROUNDS = 4;

/** What the subject of an event is told by. */
const READ = {
  ...({ 'events.id': 1, 'events.at': 1, 'events.account': 1, 'events.name': 1, 'events.room': 1 } as const),
  ...({ 'events.data.uuid': 1, 'events.data.room.uuid': 1 } as const),
};

/** What consumers make concerns what the event did, and is no message: bots answer later. */
const follows = ({ name, ...event }: OutboxEvent, subjects: ReadonlySet<string>): boolean =>
  name !== 'message.added' && name !== 'chat.added' && subjects.has(subjectOf({ name, ...event }));

/** Events were still waiting when the time was up. */
export class StillWaiting extends Error {
  override name = 'StillWaiting';
  readonly count: number;

  constructor(count: number) {
    super(`${count} events are still waiting to be announced`);
    this.count = count;
  }
}

/** Sees to it that events are announced, for whoever copies objects without them. */
export class WaitingEvents {
  readonly #models: readonly HolderModel[];
  readonly #relay: Pick<Relay, 'announce'>;
  readonly #tombstones: Pick<Tombstones, 'clear'>;
  readonly #within: number;

  /** @param within how long to wait (milliseconds) */
  constructor(
    models: readonly object[],
    { relay, tombstones }: { relay: Pick<Relay, 'announce'>; tombstones: Pick<Tombstones, 'clear'> },
    within = WITHIN_MS,
  ) {
    this.#models = models as readonly HolderModel[];
    this.#relay = relay;
    this.#tombstones = tombstones;
    this.#within = within;
  }

  /**
   * Announces what was left behind of an account, and waits until what is there now, and what follows from it, has left its
   * documents: what the consumers make of it is written then. It does so without a relay that was started, too.
   * @param progress told how many events are waited for; what it throws ends that
   * @throws StillWaiting
   */
  async announceAll(account: string, progress: (count: number) => void = () => undefined): Promise<void> {
    const deadline = performance.now() + this.#within;
    await this.#tombstones.clear();
    let subjects: ReadonlySet<string> | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      let left = await this.#waitingOf(account, subjects);
      if (left.length === 0) return;
      subjects = new Set(left.flatMap((holder) => [...holder.subjects]));
      while (left.length > 0) {
        const some = left.slice(0, BATCH);
        const rest = left.slice(BATCH);
        await this.#announce(some);
        const again = performance.now() + AGAIN_AFTER_MS;
        do {
          await sleep(LOOK_EVERY_MS);
          left = await this.#stillWaiting(some);
          const count = countOf(left) + countOf(rest);
          progress(count);
          if (count > 0 && performance.now() > deadline) throw new StillWaiting(count);
        } while (left.length > 0 && performance.now() < again);
        left.push(...rest);
      }
    }
  }

  /** @param subjects of what is waited for that follows; undefined: all is */
  async #waitingOf(account: string, subjects?: ReadonlySet<string>): Promise<Holder[]> {
    const found: (Holder & { at: Date | undefined })[] = [];
    for (const model of this.#models) {
      const waiting = { 'events.at': { $gt: EVER }, 'events.account': account };
      for (const { _id, events = [] } of await model.find(waiting, READ).lean<EventHolder[]>()) {
        const own = subjects ? events.filter((event) => follows(event, subjects)) : events;
        if (own.length === 0) continue;
        const [ids, told] = [new Set(own.map(({ id }) => id)), new Set(own.map(subjectOf))];
        found.push({ model, _id, events: ids, subjects: told, at: own[0]?.at });
      }
    }
    return found.sort((a, b) => Number(a.at) - Number(b.at));
  }

  /** Announces those that no process has in hand any more, in the order in which they happened. */
  async #announce(holders: readonly Holder[]): Promise<void> {
    const leftBehind = new Date(Date.now() - LEFT_BEHIND_AFTER_MS);
    for (const some of partsOf(holders, () => 1, ANNOUNCED_TOGETHER)) {
      const events = (await this.#read(some, { events: 1 })).flatMap(
        ({ model, document: { _id, events = [] } }) =>
          events.filter(({ at }) => isPast(at, leftBehind)).map((event) => ({ model, _id, event })),
      );
      events.sort((a, b) => Number(a.event.at) - Number(b.event.at));
      for (const { model, _id, event } of events) this.#relay.announce(model, { _id, events: [event] });
    }
  }

  async #stillWaiting(holders: readonly Holder[]): Promise<Holder[]> {
    const read = await this.#read(holders, { 'events.id': 1 });
    const ids = new Set(read.flatMap(({ document }) => document.events ?? []).map(({ id }) => id));
    return holders.flatMap((holder) => {
      const events = new Set([...holder.events].filter((id) => ids.has(id)));
      return events.size > 0 ? [{ ...holder, events }] : [];
    });
  }

  async #read(holders: readonly Holder[], fields: object) {
    const read: { model: HolderModel; document: EventHolder }[] = [];
    for (const model of new Set(holders.map((holder) => holder.model))) {
      const ids = holders.filter((holder) => holder.model === model).map(({ _id }) => _id);
      const documents = await model.find({ _id: { $in: ids } }, fields).lean<EventHolder[]>();
      read.push(...documents.map((document) => ({ model, document })));
    }
    return read;
  }
}

const countOf = (holders: readonly Holder[]): number =>
  holders.reduce((sum, { events }) => sum + events.size, 0);
