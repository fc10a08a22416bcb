import { databaseAway } from '../../database/unavailable.ts';
import { CpuBudget } from '../../platform/cpu-budget.ts';
import { FairTurns } from '../../platform/fair-turns.ts';
import { KeyedMutex } from '../../platform/keyed-mutex.ts';
import type { AccountLeases, KeptLease } from '../accounts/account-leases.ts';
import { decodeLines, type Line, lengthOf, newestFirst } from './lines.ts';
import type { StoredSegment } from './segments.model.ts';
import { MAX_LINES, partsOf, type SegmentPlace, type Segments } from './segments.ts';

/** Fresh segments that are read in one go, and how many characters of theirs are sealed in one, or one that is longer. */
const TOGETHER = 256;
const TOGETHER_LENGTH = 1_024 * 1_024;

/** What is sealed in one go is some MiB. */
const TURNS = { running: 2, runningOfOne: 1, waitingOfOne: 1_000 };

/** What the lines of one object are together at most, in characters: each was whole when it was written. */
const MAX_UNITED = 256 * 1_024;

/**
 * Lines of the same object as one: a word too many is found out when the object is read, one too few would not be. Where they
 * have no room together, the last one stands for all.
 * @param lines those that were written later behind the others
 */
const united = (lines: readonly Line[]): Line[] => {
  const byKey = new Map<string, Line>();
  for (const line of lines) {
    const known = byKey.get(line.key);
    const both = known && {
      ...line,
      subjects: [...new Set([...known.subjects, ...line.subjects])],
      words: [...new Set([...known.words, ...line.words])],
    };
    byKey.set(line.key, both && lengthOf(both) <= MAX_UNITED ? both : line);
  }
  return [...byKey.values()].sort(newestFirst);
};

/** As many of the first ones as are sealed in one go. */
const fitting = (segments: readonly StoredSegment[]): readonly StoredSegment[] => {
  let length = 0;
  const end = segments.findIndex(({ lines }) => {
    length += lines.length;
    return length > TOGETHER_LENGTH;
  });
  return end === -1 ? segments : segments.slice(0, Math.max(end, 1));
};

/** The lines of segments; the event loop turns in between. */
const decodedOf = async (segments: readonly StoredSegment[], account: string): Promise<Line[]> => {
  const budget = new CpuBudget(account);
  const lines: Line[] = [];
  for (const segment of segments) {
    await budget.checkpoint();
    lines.push(...decodeLines(segment));
  }
  return lines;
};

const earliestFirst = (a: StoredSegment, b: StoredSegment): number => Number(a.made_at) - Number(b.made_at);

/** Moves lines into sealed segments. One process at a time does it for a kind of an account. */
export class Sealing {
  readonly #segments: Segments;
  readonly #leases: Pick<AccountLeases, 'keep'>;
  readonly #turns = new FairTurns(TURNS, databaseAway);
  readonly #mutex = new KeyedMutex({ maxWaiting: 1_000, endsAll: databaseAway });

  constructor(segments: Segments, leases: Pick<AccountLeases, 'keep'>) {
    this.#segments = segments;
    this.#leases = leases;
  }

  /** Seals what is fresh, in steps. */
  seal(place: SegmentPlace): Promise<void> {
    return this.#alone(place, async (lease) => {
      for (;;) {
        const found: StoredSegment[] = [];
        for await (const segment of this.#segments.freshOf(place, TOGETHER)) found.push(segment);
        for (let left = [...found].sort(earliestFirst); left.length > 0; ) {
          const fresh = fitting(left);
          await this.#put(place, united(await decodedOf(fresh, place.account)), lease);
          await lease.renew();
          await this.#dropAll(fresh);
          left = left.slice(fresh.length);
        }
        if (found.length < TOGETHER) return;
      }
    });
  }

  /** Puts lines straight into sealed segments. */
  add(place: SegmentPlace, lines: readonly Line[]): Promise<void> {
    return this.#alone(place, (lease) => this.#put(place, united(lines), lease));
  }

  #alone(place: SegmentPlace, task: (lease: Pick<KeptLease, 'renew'>) => Promise<void>): Promise<void> {
    const name = `search ${place.account} ${place.kind}`;
    return this.#mutex.run(name, async () => {
      const lease = await this.#leases.keep(name);
      try {
        await this.#turns.run(place.account, () => task(lease));
      } finally {
        // It is done all the same, and the lease runs out.
        await lease.giveBack().catch(() => undefined);
      }
    });
  }

  /** @param lines newest first, each once */
  async #put(place: SegmentPlace, lines: readonly Line[], lease: Pick<KeptLease, 'renew'>): Promise<void> {
    for (let left = lines; left.length > 0; ) {
      await lease.renew();
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
    if (!isDone) await this.#segments.takeBack(made, new Set(all.map(({ key }) => key)));
    return isDone;
  }

  /** Removes fresh segments whose lines are sealed. */
  async #dropAll(fresh: readonly StoredSegment[]): Promise<void> {
    for (const segment of await this.#segments.deleteUnchanged(fresh)) await this.#forgetErased(segment);
  }

  /** What was erased from a fresh segment while it was sealed is erased from the sealed ones, too. */
  async #forgetErased(segment: StoredSegment): Promise<void> {
    const now = await this.#segments.byId(segment._id);
    // Another process has sealed it meanwhile.
    if (!now) return;
    const left = new Set(decodeLines(now).map(({ key }) => key));
    for (const { key, subjects } of decodeLines(segment)) {
      const [subject] = subjects;
      if (left.has(key) || subject === undefined) continue;
      // It may have been united with another line of its object.
      const isThere = (line: Line) => subjects.every((one) => line.subjects.includes(one));
      await this.#segments.removeOf(subject, (line) => line.key === key && isThere(line));
    }
  }
}
