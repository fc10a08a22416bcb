import type { SearchKind } from '@parlor/shared';
import { hasCome } from '../../database/has-come.ts';
import { CpuBudget, OWN_WORK } from '../../platform/cpu-budget.ts';
import { newUuid } from '../../platform/ids.ts';
import { ANY, type IndexKey, keysOf } from './index-keys.ts';
import { decodeLines, type Encoded, encodeLines, type Line, lengthOf, newestFirst } from './lines.ts';
import type { SegmentModel, StoredSegment } from './segments.model.ts';

/** What one segment holds at most; one line may be longer. */
export const MAX_LINES = 1_000;
const MAX_LENGTH = 256 * 1_024;

/** How many are read at once where a range bounds them: more than it has, also while some of them are cut in two. */
const MAX_TOGETHER = 100;

/** How many sealed ones are written with one command: 4 Mi characters. */
const MAX_WRITTEN = 16;

/** How many are read at once to take lines out of them. */
const MAX_READ = 20;

/** How many fresh ones are read at once. Most are small, and each may be as long as a sealed one. */
const FRESH_TOGETHER = 32;

/** The version of a fresh one whose lines are sealed. */
const SEALED = -1;

/** Which objects a segment may hold. */
export interface SegmentPlace {
  account: string;
  kind: SearchKind;
}

/** A line that was taken out, without its words. */
export type RemovedLine = SegmentPlace & Pick<Line, 'key'>;

/** Lines of a kind of an account. */
export interface SegmentLines {
  place: SegmentPlace;
  lines: readonly Line[];
}

/** Cuts lines into parts that fit into a segment, in their order. */
export const partsOf = (lines: readonly Line[], most = MAX_LINES): Line[][] => {
  const parts: Line[][] = [];
  let length = 0;
  for (const line of lines) {
    const own = lengthOf(line);
    const last = parts.at(-1);
    if (!last || last.length >= most || length + own > MAX_LENGTH) {
      parts.push([line]);
      length = own;
    } else {
      last.push(line);
      length += own;
    }
  }
  return parts;
};

const sealedOf = (lines: readonly Line[]): Encoded & { keys: number[] } => {
  const words = new Set(lines.flatMap((line) => line.words));
  return { ...encodeLines(lines), keys: keysOf(words) };
};

/** The stored segments: each write is a compare-and-set, so that whoever comes second begins again. */
export class Segments {
  readonly #model: SegmentModel;

  constructor(model: SegmentModel) {
    this.#model = model;
  }

  /** Stores what events brought, with one command. */
  async addFresh(gathered: readonly SegmentLines[]): Promise<void> {
    const made_at = new Date();
    const documents = gathered.flatMap(({ place, lines }) =>
      partsOf([...lines].sort(newestFirst)).map((part) => ({
        _id: newUuid(),
        ...place,
        is_fresh: true,
        made_at,
        from: part.at(-1)?.key ?? '',
        ...encodeLines(part),
        version: 1,
      })),
    );
    // Past mongoose, whose casting of long lists costs more than the command.
    if (documents.length > 0) await this.#model.collection.insertMany(documents as never[]);
  }

  /** Deletes those of accounts. */
  async deleteOf(accounts: readonly string[]): Promise<void> {
    await this.#model.collection.deleteMany({ account: { $in: accounts as string[] } });
  }

  /**
   * Stores sealed ones, each of which begins with its oldest line.
   * @param parts newest first
   * @returns their ids
   */
  async addSealed(place: SegmentPlace, parts: readonly (readonly Line[])[]): Promise<string[]> {
    const budget = new CpuBudget(place.account);
    const ids: string[] = [];
    for (let from = 0; from < parts.length; from += MAX_WRITTEN) {
      const documents = [];
      for (const lines of parts.slice(from, from + MAX_WRITTEN)) {
        await budget.checkpoint();
        const known = { _id: newUuid(), ...place, is_fresh: false, made_at: new Date(), version: 1 };
        documents.push({ ...known, from: lines.at(-1)?.key ?? '', ...sealedOf(lines) });
      }
      await budget.waitFor(this.#model.collection.insertMany(documents as never[]));
      ids.push(...documents.map(({ _id }) => _id));
    }
    return ids;
  }

  /** Takes objects out of segments again; what somebody else has put there stays. */
  async takeBack(ids: readonly string[], keys: ReadonlySet<string>): Promise<void> {
    for (const id of ids) {
      for (let isDone = false; !isDone; ) {
        const segment = await this.byId(id);
        if (!segment) break;
        const others = decodeLines(segment).filter(({ key }) => !keys.has(key));
        isDone = await this.replace(segment, others);
      }
    }
  }

  /**
   * Deletes those that nobody has changed since they were read.
   * @returns the others
   */
  async deleteUnchanged(segments: readonly StoredSegment[]): Promise<StoredSegment[]> {
    if (segments.length === 0) return [];
    const { collection } = this.#model;
    // Marked first: of one that is gone nobody could say who deleted it.
    const marks = segments.map(({ _id, version }) => ({
      updateOne: { filter: { _id, version }, update: { $set: { version: SEALED } } },
    }));
    await collection.bulkWrite(marks as never[], { ordered: false });
    const marked = { _id: { $in: segments.map(({ _id }) => _id as never) }, version: SEALED };
    const ids = (await collection.find(marked, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
    await collection.deleteMany({ _id: { $in: ids } });
    const deleted = new Set(ids.map(String));
    return segments.filter(({ _id }) => !deleted.has(_id));
  }

  async byId(_id: string): Promise<StoredSegment | undefined> {
    return ((await this.#model.collection.findOne({ _id: _id as never })) ?? undefined) as
      | StoredSegment
      | undefined;
  }

  /**
   * Gives a segment other lines. A sealed one of which none is left is deleted; a fresh one waits to be sealed, so that one
   * that is gone has been.
   * @returns whether it was still as it had been read
   */
  async replace({ _id, version, is_fresh }: StoredSegment, lines: readonly Line[]): Promise<boolean> {
    const same = { _id: _id as never, version };
    if (lines.length === 0 && !is_fresh)
      return (await this.#model.collection.deleteOne(same)).deletedCount === 1;
    const set = is_fresh ? encodeLines(lines) : sealedOf(lines);
    const change = { $set: set, $inc: { version: 1 } };
    return (await this.#model.collection.updateOne(same, change as never)).matchedCount === 1;
  }

  /** The sealed one to which an object belongs; undefined when it is older than all of them. */
  async sealedFor(place: SegmentPlace, key: string): Promise<StoredSegment | undefined> {
    const [found] = await this.sealedBefore(place, { from: { $lte: key } }, 1);
    return found;
  }

  /** Sealed ones, newest first. */
  sealedBefore(place: SegmentPlace, filter: object, limit: number): Promise<StoredSegment[]> {
    return this.#find({ ...place, is_fresh: false, ...filter }, limit);
  }

  /** Sealed ones with one of these keys, newest first. */
  withKeys(place: SegmentPlace, keys: readonly number[], filter: object, limit: number) {
    return this.#find({ ...place, keys: { $in: keys }, ...filter }, limit);
  }

  /** Where the newest sealed ones begin that have a line of some widgets, and begin before a place. */
  async startsOf(
    place: SegmentPlace,
    widgets: readonly string[],
    before: string | undefined,
    limit: number,
  ): Promise<string[]> {
    const older = before === undefined ? {} : { from: { $lt: before } };
    const own = { ...place, is_fresh: false, widgets: { $in: widgets }, ...older };
    const options = { projection: { from: 1 }, sort: { from: -1 }, limit, batchSize: limit + 1 } as const;
    const found = await this.#model.collection.find(own as never, options).toArray();
    return found.map(({ from }) => from as string);
  }

  /** Those of a range that have a line of some widgets, and in the index each of these keys; newest first. */
  ofWidgets(
    place: SegmentPlace,
    widgets: readonly string[],
    keys: readonly IndexKey[],
    range: { $lt?: string; $gte?: string },
  ): Promise<StoredSegment[]> {
    const words = keys.length > 0 && { $and: keys.map(({ key }) => ({ keys: { $in: [key, ANY] } })) };
    const from = Object.keys(range).length > 0 && { from: range };
    return this.#find(
      { ...place, is_fresh: false, widgets: { $in: widgets }, ...from, ...words },
      MAX_TOGETHER,
    );
  }

  /** What waits to be sealed, newest first; a few of them are in memory at a time. */
  async *freshOf(place: SegmentPlace, limit: number): AsyncGenerator<StoredSegment, void, void> {
    const fresh = { ...place, is_fresh: true };
    const options = {
      projection: { keys: 0 },
      sort: { from: -1 },
      limit,
      batchSize: FRESH_TOGETHER,
    } as const;
    yield* this.#model.collection.find(fresh as never, options) as unknown as AsyncIterable<StoredSegment>;
  }

  /**
   * The account and kind that have something that waits for longest, if it waits since `before`.
   * @param passedOver accounts that are not looked at
   */
  async oldestFresh(before: Date, passedOver: readonly string[]): Promise<SegmentPlace | undefined> {
    const others = passedOver.length > 0 && { account: { $nin: passedOver as string[] } };
    const waiting = { is_fresh: true, ...hasCome('made_at', before), ...others };
    const [found] = await this.#model
      .find(waiting, { account: 1, kind: 1 })
      .sort({ made_at: 1 })
      .limit(1)
      .lean<StoredSegment[]>();
    return found && { account: found.account, kind: found.kind };
  }

  /**
   * Takes lines out of every segment that has some of a subject. A conversation may have any number of them: of each the
   * event loop turns, and no words are kept.
   * @param isGone which lines; all of the subject unless it says more
   * @param kind of which objects; of all unless it is given
   * @param deadline when what is left stays, by the clock of `performance`
   * @returns what was taken out of objects that have other subjects, too
   */
  async removeOf(
    subject: string,
    isGone: (line: Line) => boolean,
    { kind, deadline = Number.POSITIVE_INFINITY }: { kind?: SearchKind; deadline?: number | undefined } = {},
  ): Promise<RemovedLine[]> {
    const shared: RemovedLine[] = [];
    const own = { subjects: subject, ...(kind && { kind }) };
    // What another process moves meanwhile is found again, until there is none.
    for (let isLeft = true; isLeft; ) {
      isLeft = false;
      for (let last = ''; ; ) {
        const found = await this.#after(last, own);
        const budget = new CpuBudget(found[0]?.account ?? OWN_WORK);
        for (const segment of found) {
          if (performance.now() > deadline) return shared;
          await budget.checkpoint();
          const lines = decodeLines(segment);
          const isOwn = (line: Line) => line.subjects.includes(subject) && isGone(line);
          const gone = lines.filter(isOwn);
          if (gone.length === 0) continue;
          isLeft = true;
          const left = lines.filter((line) => !isOwn(line));
          if (!(await budget.waitFor(this.replace(segment, left)))) continue;
          for (const { key, subjects } of gone)
            if (subjects.length > 1) shared.push({ account: segment.account, kind: segment.kind, key });
        }
        if (found.length < MAX_READ) break;
        last = found.at(-1)?._id ?? '';
      }
    }
    return shared;
  }

  /** The next segments in the order of their ids, without their keys. */
  async #after(last: string, filter: object): Promise<StoredSegment[]> {
    const options = { projection: { keys: 0 }, sort: { _id: 1 }, limit: MAX_READ } as const;
    const found = this.#model.collection.find({ ...filter, _id: { $gt: last } } as never, options);
    return (await found.toArray()) as unknown as StoredSegment[];
  }

  /** Without the keys, which are most of a segment and serve the index alone. */
  async #find(filter: object, limit: number): Promise<StoredSegment[]> {
    const options = { projection: { keys: 0 }, sort: { from: -1 }, limit, batchSize: limit + 1 } as const;
    return (await this.#model.collection
      .find(filter as never, options)
      .toArray()) as unknown as StoredSegment[];
  }
}
