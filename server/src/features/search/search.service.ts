import type { SearchKind, SearchResult } from '@parlor/shared';
import { isoDatetime } from '../../database/document.ts';
import { CpuBudget } from '../../platform/cpu-budget.ts';
import { isInView, type View } from '../members/view.ts';
import type { RoomModel } from '../rooms/rooms.model.ts';
import { type Candidate, candidatesOf } from './candidates.ts';
import { type FoundLine, lineKey, newestFirst, UNKNOWN_WIDGET, uuidOfKey } from './lines.ts';
import { excerpt, termsIn } from './marks.ts';
import type { Term } from './search-query.ts';
import type { Segments } from './segments.ts';
import type { SearchObject, SearchSource } from './source.ts';

/** Candidates of a search that are read and compared at most; the next page goes on behind them. */
const MAX_READ = 500;
const READ_TOGETHER = 20;

/** The CPU time budget of a page (milliseconds), since what visitors write may be costly to compare; it ends there. */
const MAX_WORK_MS = 500;

/** What is looked for. */
export interface Search {
  terms: readonly Term[];
  kinds: readonly SearchKind[];
  limit: number;
  /** The place of a cursor: only what is older. */
  before: string | undefined;
}

export interface SearchPage {
  results: SearchResult[];
  /** Where to go on: undefined when all was looked at. */
  next: string | undefined;
}

type Place = FoundLine & { kind: SearchKind };
type Found = Place & { object: SearchObject; matches: SearchResult['matches'] };

/** Finds conversations, messages, leads and notes by their words (docs/contract.md#search). */
export class SearchService {
  readonly #sources: readonly SearchSource[];
  readonly #segments: Segments;
  readonly #rooms: RoomModel;

  constructor(sources: readonly SearchSource[], segments: Segments, rooms: RoomModel) {
    this.#sources = sources;
    this.#segments = segments;
    this.#rooms = rooms;
  }

  /** The kinds of objects that there are, with the operation that shows them. */
  get kinds(): readonly Pick<SearchSource, 'kind' | 'operation'>[] {
    return this.#sources;
  }

  /** A page of what is found in view, newest first. */
  async search(view: View, { terms, kinds, limit, before }: Search): Promise<SearchPage> {
    const budget = new CpuBudget(view.account);
    const found: Found[] = [];
    let together: Place[] = [];
    let read = 0;
    let last: string | undefined;
    /** @returns the place where the work ended, if it was too much */
    const readTogether = async (): Promise<string | undefined> => {
      const places = together;
      together = [];
      read += places.length;
      const objects = await budget.waitFor(this.#read(view, places));
      for (const place of places) {
        const object = objects.get(place);
        const matches = object && (await matchesIn(object, terms, budget));
        if (object && matches) found.push({ ...place, object, matches });
        if (budget.spentMs > MAX_WORK_MS) return place.key;
      }
      return undefined;
    };
    for await (const candidate of this.#candidates(view, { terms, kinds, before }, budget)) {
      if ('isEnd' in candidate) {
        const end = await readTogether();
        return this.#page(found, limit, end ?? candidate.key);
      }
      // An object may have several lines, of which the first one speaks for all.
      if (candidate.key === last) continue;
      last = candidate.key;
      together.push(candidate);
      if (together.length < Math.min(READ_TOGETHER, limit + 1 - found.length)) continue;
      const end = await readTogether();
      if (end !== undefined || found.length > limit) return this.#page(found, limit, end);
      if (read >= MAX_READ) return this.#page(found, limit, last);
    }
    return this.#page(found, limit, await readTogether());
  }

  /** Those of all kinds, newest first. */
  async *#candidates(
    { account, widgets }: View,
    { terms, kinds, before }: Omit<Search, 'limit'>,
    budget: CpuBudget,
  ): AsyncGenerator<Place | Extract<Candidate, { isEnd: true }>, void, void> {
    const streams = kinds.map((kind) => {
      const place = { account, kind };
      return candidatesOf(this.#segments, place, { terms, before, widgets }, budget);
    });
    const isSeen = (widget: string) =>
      widgets === undefined || widget === UNKNOWN_WIDGET || widgets.includes(widget);
    const next = async (index: number) => {
      for (;;) {
        const { value } = (await streams[index]?.next()) ?? {};
        if (!value) return undefined;
        if ('isEnd' in value) return value;
        if (isSeen(value.widget)) return { ...value, kind: kinds[index] as SearchKind };
      }
    };
    const heads = await Promise.all(streams.map((_, index) => next(index)));
    for (;;) {
      const [first] = heads.filter((head) => head !== undefined).sort(newestFirst);
      if (!first) return;
      yield first;
      if ('isEnd' in first) return;
      const index = heads.indexOf(first);
      heads[index] = await next(index);
    }
  }

  /** Those that exist and are in view. */
  async #read(view: View, places: readonly Place[]): Promise<Map<Place, SearchObject>> {
    const found = new Map<Place, SearchObject>();
    for (const source of this.#sources) {
      const own = places.filter(({ kind }) => kind === source.kind);
      if (own.length === 0) continue;
      const objects = await source.read(
        view.account,
        own.map(({ key }) => uuidOfKey(key)),
      );
      const byKey = new Map(objects.map((object) => [lineKey(object.at, object.uuid), object]));
      for (const place of own) {
        const object = byKey.get(place.key);
        if (object && isInView(view, object)) found.set(place, object);
      }
    }
    return found;
  }

  async #page(found: readonly Found[], limit: number, end?: string): Promise<SearchPage> {
    const shown = found.slice(0, limit);
    const next = found.length > limit ? shown.at(-1)?.key : end;
    const uuids = [...new Set(shown.flatMap(({ object }) => object.room ?? []))];
    const known = await this.#rooms.find({ _id: { $in: uuids } }, { account: 1, label: 1, name: 1 }).lean();
    const rooms = new Map(known.map((room) => [room._id, room]));
    const results = shown.map(({ kind, object, matches }) => {
      const room = rooms.get(object.room ?? '');
      const { uuid, at, account } = object;
      const conversation =
        room?.account === account ? { uuid: room._id, label: room.label, name: room.name } : null;
      return { kind, uuid, at: isoDatetime(at), conversation, matches };
    });
    return { results, next };
  }
}

/** The fields of an object with one of the words; undefined unless they hold all of them together. */
const matchesIn = async (
  { texts }: SearchObject,
  terms: readonly Term[],
  budget: CpuBudget,
): Promise<SearchResult['matches'] | undefined> => {
  const missing = new Set(terms);
  const holding: SearchObject['texts'][number][] = [];
  for (const [field, text] of texts) {
    await budget.checkpoint();
    const found = termsIn(text, terms);
    for (const term of found) missing.delete(term);
    if (found.size > 0) holding.push([field, text]);
  }
  if (missing.size > 0) return undefined;
  const matches: SearchResult['matches'] = [];
  for (const [field, text] of holding) matches.push({ field, ...(await excerpt(text, terms, budget)) });
  return matches.filter(({ marks }) => marks.length > 0);
};
