import type { SearchKind } from '@parlor/shared';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { isBefore } from '../../database/has-come.ts';
import type { EventConsumer } from '../../events/relay.ts';
import { CpuBudget, OWN_WORK } from '../../platform/cpu-budget.ts';
import type { AccountModel } from '../accounts/accounts.model.ts';
import { FreshLines } from './fresh-lines.ts';
import { Gathered, type Gathering } from './gathered.ts';
import { type Line, lengthOf, timeOfKey, uuidOfKey } from './lines.ts';
import { lineOf, linesOf } from './object-lines.ts';
import type { Sealing } from './sealing.ts';
import { MAX_LINES, type SegmentLines, type SegmentPlace, type Segments } from './segments.ts';
import type { SearchSource } from './source.ts';

/** From this number of fresh segments, lines in them, or characters of those on they are sealed. */
const SEALED_AT = 256;
const SEALED_AT_LENGTH = 1_024 * 1_024;

/** With this many times more of them, events wait for that. */
const TOO_MANY = 4;

/** How many marks of objects are kept; see Touched. */
const MAX_MARKS = 10_000;

/** How many erased subjects are remembered: events of theirs that were under way follow within moments. */
const MAX_FORGOTTEN = 1_000;

/** How many accounts' objects are read at once. */
const readTogether = pLimit(8);

interface Waiting {
  segments: number;
  lines: number;
  length: number;
  sealing?: Promise<void> | undefined;
}

interface Parts {
  sources: readonly SearchSource[];
  segments: Segments;
  sealing: Pick<Sealing, 'seal'>;
  accounts: AccountModel;
  log: Logger;
}

/**
 * Keeps the segments in step with what they are about. What events tell is gathered, and written before the events leave
 * their documents (Relay.beforeRemoval): a crash has them told again. Lines are only ever added, and taken out by erasure: an
 * older line of the same object is harmless, since what is found is read and compared once more.
 */
export class SearchIndex {
  readonly #parts: Parts;
  readonly #fresh: FreshLines;
  readonly #marks = new LRUCache<string, string>({ max: MAX_MARKS });
  /** Subjects that were erased lately: of what is told of them it is looked whether it is still there. */
  readonly #forgotten = new LRUCache<string, true>({ max: MAX_FORGOTTEN });
  readonly #waiting = new Map<string, Waiting>();
  #gathered = new Gathered();
  #writing: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#fresh = new FreshLines(parts.segments, parts.log);
  }

  /** Gathers what the events of one account tell of; a second time changes nothing that is found. */
  readonly consume: EventConsumer = async (events) => {
    if (this.#gathered.isFull) await this.flush();
    const budget = new CpuBudget(events[0]?.account ?? OWN_WORK);
    for (const source of this.#parts.sources) {
      const { kind, fixed } = source;
      for (const event of events) {
        const { uuid, mark, deletedFrom } = source.touchedBy(event) ?? {};
        if (uuid !== undefined && deletedFrom !== undefined) {
          await this.#drop(kind, uuid, deletedFrom);
          continue;
        }
        if (uuid === undefined || (mark !== undefined && this.#marks.get(uuid) === mark)) continue;
        const place = { account: event.account, kind };
        if (!fixed) this.#gathered.addTouched(place, uuid, mark);
        else {
          await budget.checkpoint();
          this.#gathered.addLine(place, lineOf(fixed.ofEvent(event)));
        }
      }
    }
  };

  /** Writes what was gathered until now. What could not be written stays. */
  flush(): Promise<void> {
    const writing = this.#writing.then(() => this.#write());
    this.#writing = writing.catch(() => undefined);
    return writing;
  }

  /**
   * Takes out every word of a subject: a conversation by its room, or a lead. What another process writes of it meanwhile goes
   * when the erasure is gone through again.
   * @param before only what was made before
   * @param deadline when the rest is left to that, by the clock of `performance`: it is not found any more as it is
   */
  async forget(subject: string, before?: Date, deadline?: number): Promise<void> {
    this.#forgotten.set(subject, true);
    this.#marks.delete(subject);
    await this.flush();
    const isGone = ({ key }: Line) => before === undefined || isBefore(timeOfKey(key), before);
    const removed = await this.#parts.segments.removeOf(subject, isGone, { deadline });
    // What knew of a lead and of other things as well is still there.
    for (const { kind, fixed } of this.#parts.sources) {
      if (fixed) continue;
      for (const { account, kind: own, key } of removed) {
        const uuid = uuidOfKey(key);
        if (own === kind && uuid !== subject) this.#gathered.addTouched({ account, kind }, uuid, undefined);
      }
    }
    await this.flush();
  }

  /** Takes out every word of one object. @param subject one of those that it is about */
  async #drop(kind: SearchKind, uuid: string, subject: string): Promise<void> {
    await this.flush();
    await this.#parts.segments.removeOf(subject, ({ key }) => uuidOfKey(key) === uuid, { kind });
  }

  async #write(): Promise<void> {
    const gathered = this.#gathered;
    if (gathered.isEmpty) return;
    this.#gathered = new Gathered();
    const parts = [...gathered.parts()];
    try {
      for (; parts[0]; parts.shift()) await this.#writePart(parts[0]);
    } catch (error) {
      // What was written is not written again: a full disk has room for the first part, over and over.
      this.#gathered.addAll(parts.flat());
      throw error;
    }
  }

  async #writePart(part: readonly Gathering[]): Promise<void> {
    const read = await Promise.all(part.map((one) => readTogether(() => this.#linesOf(one))));
    const written = await this.#fresh.add(read.filter(({ lines }) => lines.length > 0));
    await this.#dropDeleted(written);
    await this.#dropGone(written);
    for (const { touched } of part) {
      for (const [uuid, mark] of touched) {
        if (mark === undefined) this.#marks.delete(uuid);
        else this.#marks.set(uuid, mark);
      }
    }
    for (const one of written) await this.#count(one);
  }

  async #linesOf({ place, lines, touched }: Gathering): Promise<SegmentLines> {
    const source = this.#parts.sources.find(({ kind }) => kind === place.kind);
    const read = touched.size > 0 ? await source?.read(place.account, [...touched.keys()]) : undefined;
    const told = await this.#existing(place, source, [...lines.values()]);
    return {
      place,
      lines: [...told.filter(({ words }) => words.length > 0), ...(await linesOf(read ?? [], place.account))],
    };
  }

  /** Without those that have been erased before their events came, as from a tombstone. */
  async #existing(
    { account }: SegmentPlace,
    source: SearchSource | undefined,
    lines: readonly Line[],
  ): Promise<readonly Line[]> {
    const isSuspect = ({ subjects }: Line) => subjects.some((subject) => this.#forgotten.has(subject));
    const suspects = this.#forgotten.size > 0 ? lines.filter(isSuspect) : [];
    if (suspects.length === 0) return lines;
    const uuids = suspects.map(({ key }) => uuidOfKey(key));
    const left = await source?.fixed?.existing(account, uuids);
    return lines.filter((line) => !isSuspect(line) || left?.has(uuidOfKey(line.key)));
  }

  /** Afterwards it is looked whether the accounts are still there: whoever deletes one has not seen the lines. */
  async #dropDeleted(written: readonly SegmentLines[]): Promise<void> {
    const accounts = [...new Set(written.map(({ place }) => place.account))];
    if (accounts.length === 0) return;
    const there = { _id: { $in: accounts }, emptied_at: null };
    const left = await this.#parts.accounts.find(there, { _id: 1 }).lean();
    const existing = new Set(left.map(({ _id }) => _id));
    const deleted = accounts.filter((account) => !existing.has(account));
    if (deleted.length > 0) await this.#parts.segments.deleteOf(deleted);
  }

  /** The same of objects that are deleted by themselves, which may have been while they were written. */
  async #dropGone(written: readonly SegmentLines[]): Promise<void> {
    const { sources, segments } = this.#parts;
    for (const { place, lines } of written) {
      const source = sources.find(({ kind }) => kind === place.kind);
      const left = await source?.left?.(
        place.account,
        lines.map(({ key }) => uuidOfKey(key)),
      );
      if (!left) continue;
      const gone = lines.filter(({ key }) => !left.has(uuidOfKey(key)));
      for (const { key, subjects } of gone) {
        for (const subject of subjects) await segments.removeOf(subject, (line) => line.key === key);
      }
    }
  }

  /** Seals what waits of a kind of an account when it is much. */
  async #count({ place, lines }: SegmentLines): Promise<void> {
    const name = `${place.account} ${place.kind}`;
    const waiting: Waiting = this.#waiting.get(name) ?? { segments: 0, lines: 0, length: 0 };
    this.#waiting.set(name, waiting);
    waiting.segments++;
    waiting.lines += lines.length;
    waiting.length += lines.reduce((sum, line) => sum + lengthOf(line), 0);
    const { segments, length } = waiting;
    const share = Math.max(segments / SEALED_AT, waiting.lines / MAX_LINES, length / SEALED_AT_LENGTH);
    if (share < 1) return;
    waiting.sealing ??= this.#seal(place, name);
    if (share >= TOO_MANY) await waiting.sealing;
  }

  async #seal(place: SegmentPlace, name: string): Promise<void> {
    try {
      await this.#parts.sealing.seal(place);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'what can be searched waits: sealing it failed');
    } finally {
      this.#waiting.delete(name);
    }
  }
}
