import type { Logger } from 'pino';
import type { OutboxEvent } from '../../events/events.ts';
import type { EventConsumer } from '../../events/relay.ts';
import { type Line, lineKey, timeOfKey, UNKNOWN_WIDGET, uuidOfKey } from './lines.ts';
import type { Sealing } from './sealing.ts';
import { MAX_LINES, type SegmentPlace, type Segments } from './segments.ts';
import type { SearchObject, SearchSource, Touched } from './source.ts';
import { wordsOf } from './words.ts';

/** So many fresh segments, or lines in them, are sealed. */
const SEALED_AT = 256;

/** With so many times more of them, events wait for that. */
const TOO_MANY = 4;

/** How many marks of objects are kept; see Touched. */
const MAX_MARKS = 10_000;

/** An object that changes each time it is looked at is given up after so many; the event of its next change follows. */
const MAX_ROUNDS = 10;

interface Waiting {
  segments: number;
  lines: number;
  sealing?: Promise<void> | undefined;
}

/** The line of an object. */
export const lineOf = ({ at, uuid, widget = UNKNOWN_WIDGET, subjects, texts }: SearchObject): Line => ({
  key: lineKey(at, uuid),
  widget,
  subjects,
  words: [...wordsOf(texts.map(([, text]) => text).join('\n'))],
});

const isSame = (a: Line, b: Line): boolean =>
  a.key === b.key && a.subjects.join() === b.subjects.join() && a.words.join(' ') === b.words.join(' ');

/**
 * Keeps the segments in step with what they are about. Lines are only ever added, and taken out by erasure: an older line
 * of the same object is harmless, since what is found is read and compared once more.
 */
export class SearchIndex {
  readonly #sources: readonly SearchSource[];
  readonly #segments: Segments;
  readonly #sealing: Sealing;
  readonly #log: Logger;
  readonly #marks = new Map<string, string>();
  readonly #waiting = new Map<string, Waiting>();

  constructor(sources: readonly SearchSource[], segments: Segments, sealing: Sealing, log: Logger) {
    this.#sources = sources;
    this.#segments = segments;
    this.#sealing = sealing;
    this.#log = log;
  }

  /** Adds what the events of one account tell of; a second time changes nothing that is found. */
  readonly consume: EventConsumer = async (events) => {
    for (const source of this.#sources) {
      const touched = new Map<string, Touched & { event: OutboxEvent }>();
      for (const event of events) {
        const one = source.touchedBy(event);
        if (!one || (one.mark !== undefined && this.#marks.get(one.uuid) === one.mark)) continue;
        touched.set(one.uuid, { ...one, event });
      }
      const [first] = touched.values();
      if (!first) continue;
      const place = { account: first.event.account, kind: source.kind };
      const { fixed } = source;
      if (fixed) {
        await this.#addFixed(
          place,
          fixed,
          [...touched.values()].map(({ event }) => fixed.ofEvent(event)),
        );
      } else await this.#refresh(place, source, [...touched.keys()]);
      for (const { uuid, mark } of touched.values()) this.#setMark(uuid, mark);
    }
  };

  /**
   * Takes out every word of a subject: a conversation by its room, or a lead.
   * @param before only what was made before
   */
  async forget(subject: string, before?: Date): Promise<void> {
    const isGone = ({ key }: Line) => before === undefined || timeOfKey(key) < before;
    const removed = await this.#segments.removeOf(subject, isGone);
    // What knew of a lead and of other things as well is still there.
    for (const source of this.#sources) {
      const others = removed.filter(({ kind, key }) => kind === source.kind && uuidOfKey(key) !== subject);
      const [first] = others;
      if (!first || source.fixed) continue;
      const uuids = [...new Set(others.map(({ key }) => uuidOfKey(key)))];
      await this.#refresh({ account: first.account, kind: source.kind }, source, uuids);
    }
  }

  /** Seals what waits in this process, and ends when that is done. */
  async settle(): Promise<void> {
    await Promise.all([...this.#waiting.values()].map(({ sealing }) => sealing));
  }

  /** Afterwards it is looked whether they are still there: an erasure that came between has not seen the lines. */
  async #addFixed(
    place: SegmentPlace,
    fixed: NonNullable<SearchSource['fixed']>,
    objects: readonly SearchObject[],
  ): Promise<void> {
    const lines = objects.map(lineOf).filter(({ words }) => words.length > 0);
    await this.#add(place, lines);
    const uuids = lines.map(({ key }) => uuidOfKey(key));
    const existing = await fixed.existing(place.account, uuids);
    await this.#removeAll(lines.filter(({ key }) => !existing.has(uuidOfKey(key))));
  }

  /** Adds objects as they are stored, again until they are as they were added. */
  async #refresh(place: SegmentPlace, source: SearchSource, uuids: readonly string[]): Promise<void> {
    let added: Line[] = [];
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const lines = (await source.read(place.account, uuids)).map(lineOf);
      const gone = added.filter(({ key }) => !lines.some((line) => line.key === key));
      await this.#removeAll(gone);
      const changed = lines.filter((line) => !added.some((known) => isSame(known, line)));
      if (changed.length === 0) return;
      await this.#add(place, changed);
      added = lines;
    }
  }

  async #removeAll(lines: readonly Line[]): Promise<void> {
    for (const { key, subjects } of lines) {
      for (const subject of subjects) await this.#segments.removeOf(subject, (line) => line.key === key);
    }
  }

  async #add(place: SegmentPlace, lines: readonly Line[]): Promise<void> {
    if (lines.length === 0) return;
    await this.#segments.addFresh(place, lines);
    const name = `${place.account} ${place.kind}`;
    const waiting: Waiting = this.#waiting.get(name) ?? { segments: 0, lines: 0 };
    this.#waiting.set(name, waiting);
    waiting.segments++;
    waiting.lines += lines.length;
    const share = Math.max(waiting.segments / SEALED_AT, waiting.lines / MAX_LINES);
    if (share < 1) return;
    waiting.sealing ??= this.#seal(place, name);
    if (share >= TOO_MANY) await waiting.sealing;
  }

  async #seal(place: SegmentPlace, name: string): Promise<void> {
    try {
      await this.#sealing.seal(place);
    } catch (error) {
      this.#log.warn({ err: error }, 'what can be searched waits: sealing it failed');
    } finally {
      this.#waiting.delete(name);
    }
  }

  #setMark(uuid: string, mark: string | undefined): void {
    this.#marks.delete(uuid);
    if (mark === undefined) return;
    this.#marks.set(uuid, mark);
    const [oldest] = this.#marks.keys();
    if (this.#marks.size > MAX_MARKS && oldest !== undefined) this.#marks.delete(oldest);
  }
}
