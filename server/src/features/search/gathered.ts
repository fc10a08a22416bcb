import { type Line, lengthOf } from './lines.ts';
import type { SegmentPlace } from './segments.ts';

/** So much is not kept back any longer: objects, and characters of their words. */
const MAX_OBJECTS = 1_000;
const MAX_LENGTH = 1_024 * 1_024;

/** The batch size of objects that are read: each has up to 40 kB, and as lines of words several times as much. */
const READ_TOGETHER = 100;

/** What is gathered of one kind of one account. */
export interface Gathering {
  place: SegmentPlace;
  /** Of objects that never change, by key. */
  lines: Map<string, Line>;
  /** The objects that are to be read, with their marks (Touched). */
  touched: Map<string, string | undefined>;
}

/** What events have told of and is not written yet; a second time changes nothing. */
export class Gathered {
  readonly #byPlace = new Map<string, Gathering>();
  #objects = 0;
  #length = 0;

  get isEmpty(): boolean {
    return this.#objects === 0;
  }

  get isFull(): boolean {
    return this.#objects >= MAX_OBJECTS || this.#length >= MAX_LENGTH;
  }

  /** In batches of at most READ_TOGETHER objects that are to be read. */
  *parts(): Generator<readonly Gathering[]> {
    let part: Gathering[] = [];
    let left = READ_TOGETHER;
    for (const { place, lines, touched } of this.#byPlace.values()) {
      const unread = [...touched];
      let own = lines;
      do {
        const some = unread.splice(0, left);
        part.push({ place, lines: own, touched: new Map(some) });
        own = new Map();
        left -= some.length;
        if (left > 0) continue;
        yield part;
        part = [];
        left = READ_TOGETHER;
      } while (unread.length > 0);
    }
    if (part.length > 0) yield part;
  }

  addLine(place: SegmentPlace, line: Line): void {
    const { lines } = this.#of(place);
    if (lines.has(line.key)) return;
    lines.set(line.key, line);
    this.#objects++;
    this.#length += lengthOf(line);
  }

  addTouched(place: SegmentPlace, uuid: string, mark: string | undefined): void {
    const { touched } = this.#of(place);
    if (!touched.has(uuid)) this.#objects++;
    touched.set(uuid, mark);
  }

  /** Takes in what was gathered before this, and could not be written. */
  addAll(earlier: readonly Gathering[]): void {
    for (const { place, lines, touched } of earlier) {
      for (const line of lines.values()) this.addLine(place, line);
      for (const [uuid, mark] of touched) {
        if (!this.#of(place).touched.has(uuid)) this.addTouched(place, uuid, mark);
      }
    }
  }

  #of(place: SegmentPlace): Gathering {
    const name = `${place.account} ${place.kind}`;
    const known = this.#byPlace.get(name);
    if (known) return known;
    const made: Gathering = { place, lines: new Map(), touched: new Map() };
    this.#byPlace.set(name, made);
    return made;
  }
}
