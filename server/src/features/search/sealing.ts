import { KeyedMutex } from '../../platform/keyed-mutex.ts';
import { decodeLines, type Line, newestFirst } from './lines.ts';
import type { StoredSegment } from './segments.model.ts';
import { MAX_LINES, partsOf, type SegmentPlace, type Segments } from './segments.ts';

/** Fresh segments that are sealed in one go. */
const TOGETHER = 256;

/** Lines of the same object as one: a word too many is found out when the object is read, one too few would not be. */
const united = (lines: readonly Line[]): Line[] => {
  const byKey = new Map<string, Line>();
  for (const line of lines) {
    const known = byKey.get(line.key);
    const both = known && {
      ...line,
      subjects: [...new Set([...known.subjects, ...line.subjects])],
      words: [...new Set([...known.words, ...line.words])],
    };
    byKey.set(line.key, both ?? line);
  }
  return [...byKey.values()].sort(newestFirst);
};

/** Runs one task of a name at a time, of all processes. */
interface Turns {
  run<T>(name: string, task: () => Promise<T>): Promise<T>;
}

/** Moves lines into sealed segments. One process at a time does it for a kind of an account. */
export class Sealing {
  readonly #segments: Segments;
  readonly #leases: Turns;
  readonly #mutex = new KeyedMutex(1_000);

  constructor(segments: Segments, leases: Turns) {
    this.#segments = segments;
    this.#leases = leases;
  }

  /** Seals what is fresh, in steps. */
  seal(place: SegmentPlace): Promise<void> {
    return this.#alone(place, async () => {
      for (;;) {
        const fresh = await this.#segments.freshOf(place, TOGETHER);
        await this.#put(place, united(fresh.flatMap(decodeLines)));
        await this.#dropAll(fresh);
        if (fresh.length < TOGETHER) return;
      }
    });
  }

  /** Puts lines straight into sealed segments. */
  add(place: SegmentPlace, lines: readonly Line[]): Promise<void> {
    return this.#alone(place, () => this.#put(place, united(lines)));
  }

  #alone(place: SegmentPlace, task: () => Promise<void>): Promise<void> {
    const name = `search ${place.account} ${place.kind}`;
    return this.#mutex.run(name, () => this.#leases.run(name, task));
  }

  /** @param lines newest first, each once */
  async #put(place: SegmentPlace, lines: readonly Line[]): Promise<void> {
    for (let left = lines; left.length > 0; ) {
      const [newest] = left as [Line];
      const segment = await this.#segments.sealedFor(place, newest.key);
      if (!segment) {
        await this.#segments.addSealed(place, partsOf(left));
        return;
      }
      const own = left.filter(({ key }) => key >= segment.from);
      if (await this.#putInto(place, segment, own)) left = left.slice(own.length);
    }
  }

  /** @returns whether the segment was still as it had been read */
  async #putInto(place: SegmentPlace, segment: StoredSegment, lines: readonly Line[]): Promise<boolean> {
    const known = new Set(lines.map(({ key }) => key));
    const all = [...lines, ...decodeLines(segment).filter(({ key }) => !known.has(key))];
    const oldestFirst = all.sort(newestFirst).reverse();
    const [newest] = lines as [Line];
    const [later] = await this.#segments.sealedBefore(place, { from: { $gt: newest.key } }, 1);
    // The last one is filled, since more will follow; one in the middle is cut into halves, since little will.
    const count = Math.ceil(all.length / MAX_LINES);
    const [first = [], ...others] = partsOf(oldestFirst, later ? Math.ceil(all.length / count) : MAX_LINES);
    // First: whoever dies in between leaves some lines twice, and loses none.
    const made = await this.#segments.addSealed(
      place,
      others.map((part) => part.reverse()),
    );
    const isDone = await this.#segments.replace(segment, first.reverse());
    // Somebody has taken lines out of the segment, which are in these.
    if (!isDone && made.length > 0) await this.#segments.delete(made);
    return isDone;
  }

  /** Removes fresh segments whose lines are sealed. */
  async #dropAll(fresh: readonly StoredSegment[]): Promise<void> {
    for (const segment of await this.#segments.deleteUnchanged(fresh)) await this.#forgetErased(segment);
  }

  /** What was erased from a fresh segment while it was sealed is erased from the sealed ones, too. */
  async #forgetErased(segment: StoredSegment): Promise<void> {
    const now = await this.#segments.byId(segment._id);
    const left = new Set(now ? decodeLines(now).map(({ key }) => key) : []);
    for (const { key, subjects } of decodeLines(segment)) {
      const [subject] = subjects;
      if (left.has(key) || subject === undefined) continue;
      const same = subjects.join();
      await this.#segments.removeOf(subject, (line) => line.key === key && line.subjects.join() === same);
    }
  }
}
