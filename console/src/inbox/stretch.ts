import type { TimelineItem } from '@parlor/shared';
import { batch, computed, signal } from '@preact/signals';
import { ApiError, askPage, type Page } from '../api/client.ts';

/** Something that was said, noted or done. */
export type Item = TimelineItem;

const PAGE = 50;

/** How many entries are here at most, and how many are kept on a side that becomes too long. */
const MOST = 400;
const KEPT = 100;

/** The order of a timeline: by time, then by uuid. */
const order = (a: Item, b: Item): number => {
  if (a.uuid === b.uuid) return 0;
  return a.at < b.at || (a.at === b.at && a.uuid < b.uuid) ? -1 : 1;
};

/** Where a whole page is read on, and not as little as was read to learn of it. */
const wholePage = (path: string): string => path.replace(/\blimit=\d+/, `limit=${PAGE}`);

/** What the live channel tells while something is read, whose answer may not have it yet, or still. */
interface Meanwhile {
  told: Map<string, Item>;
  gone: Set<string>;
}

/** What is here of a conversation's timeline: a stretch without gaps, up to the newest or around a place further back. */
export class Stretch {
  readonly state = signal<'loading' | 'ready' | 'failed'>('loading');
  /** Whether it reaches to the newest: what comes stands here at once. Else it does once it is read. */
  readonly isLive = signal(true);
  /** Whether what was to be shown is not there any more; the newest is shown instead. */
  readonly isGone = signal(false);
  readonly #path: string;
  readonly #byId = signal<ReadonlyMap<string, Item>>(new Map());
  readonly #older = signal<string | undefined>(undefined);
  #newer: string | undefined;
  /** The entry that is to be shown; undefined: the newest. */
  #entry: string | undefined;
  /** How often another stretch has taken the place of this one: what was asked of one before counts no more. */
  #turn = 0;
  readonly #reading = new Set<Meanwhile>();
  readonly #isReadingOn = { older: false, newer: false };
  /** Whether more has happened at the end than was told. */
  #isBehind = false;

  /** Oldest first. */
  readonly items = computed(() => [...this.#byId.value.values()].sort(order));
  readonly hasOlder = computed(() => this.#older.value !== undefined);
  /** Whether some of it is to be forgotten. */
  readonly isTooLong = computed(() => this.#byId.value.size > MOST);

  /** @param entry the uuid of what is to be shown; undefined: the newest */
  constructor(room: string, entry?: string) {
    this.#path = `conversations/${room}/timeline/`;
    this.#entry = entry;
    this.isLive.value = entry === undefined;
    void this.readAgain();
  }

  /** Shows an entry by its uuid, and what stands around it; undefined: the newest. */
  async show(entry: string | undefined): Promise<void> {
    if (entry === this.#entry) return;
    this.#entry = entry;
    this.isGone.value = false;
    const isHere = entry === undefined ? this.isLive.value : this.#byId.value.has(entry);
    if (!isHere) await this.readAgain();
  }

  /** Comes back to the end, from wherever it was read to. */
  async showNewest(): Promise<void> {
    this.#entry = undefined;
    if (!this.isLive.value) await this.readAgain();
  }

  /** Reads what is to be shown. */
  async readAgain(): Promise<void> {
    // What is under way was asked of another place.
    this.#turn++;
    const failure = await (this.#entry === undefined ? this.#readNewest() : this.#readAround(this.#entry));
    if (!failure) return;
    this.#begin();
    this.#older.value = undefined;
    this.state.value = 'failed';
  }

  /** Reads the newest, since more has happened than was told; where it is not here, once it is read to. */
  async refresh(): Promise<void> {
    if (this.isLive.value) await this.#readNewest(true);
    else this.#isBehind = true;
  }

  /** Reads what was before. */
  async readOlder(): Promise<void> {
    await this.#readOn('older', this.#older.value, ({ items, next }) => {
      this.#put(items);
      this.#older.value = next;
    });
  }

  /** Reads what came after, where that is not here. */
  async readNewer(): Promise<void> {
    await this.#readOn('newer', this.#newer, ({ items, previous }) => {
      this.#put(items);
      if (!this.isLive.value) this.#endWith(previous);
    });
  }

  /** Forgets what is far from an entry that is seen, where it is too much; whoever scrolls there reads it again. */
  async trim(seen: string): Promise<void> {
    const items = this.items.value;
    const at = items.findIndex(({ uuid }) => uuid === seen);
    if (!this.isTooLong.value || at === -1 || this.#isReadingOn.older || this.#isReadingOn.newer) return;
    const isAbove = at > items.length / 2;
    const edge = items[isAbove ? at - KEPT : at + KEPT] as Item;
    // Of the edge itself nothing is new but where it is read on from there.
    await this.#readOn(isAbove ? 'older' : 'newer', this.#around(edge.uuid, 1), ({ next, previous }) => {
      const isKept = (item: Item) => (isAbove ? order(item, edge) >= 0 : order(item, edge) <= 0);
      this.#byId.value = new Map([...this.#byId.value].filter(([, item]) => isKept(item)));
      if (isAbove) this.#older.value = next && wholePage(next);
      else this.#endWith(previous && wholePage(previous));
    });
  }

  /** Takes in what was said or noted just now, by whomever. */
  tell(item: Item): void {
    for (const { told } of this.#reading) told.set(item.uuid, item);
    const last = this.items.value.at(-1);
    if (this.isLive.value || (last && order(item, last) <= 0)) this.#put([item]);
  }

  drop(uuid: string): void {
    for (const { told, gone } of this.#reading) {
      told.delete(uuid);
      gone.add(uuid);
    }
    const next = new Map(this.#byId.value);
    if (next.delete(uuid)) this.#byId.value = next;
  }

  /**
   * If it does not reach back to what is here, it takes its place.
   * @param isRefresh it is for whoever is at the end still
   */
  #readNewest(isRefresh = false): Promise<ApiError | undefined> {
    return this.#take(`${this.#path}?limit=${PAGE}`, ({ items, next }) => {
      if (isRefresh && !this.isLive.value) {
        this.#isBehind = true;
        return;
      }
      const reachesBack = next === undefined || items.some(({ uuid }) => this.#byId.value.has(uuid));
      if (!reachesBack) this.#begin();
      if (!reachesBack || this.state.value !== 'ready') this.#older.value = next;
      this.#put(items);
      this.#endWith(undefined);
      this.state.value = 'ready';
    });
  }

  async #readAround(entry: string): Promise<ApiError | undefined> {
    const failure = await this.#take(this.#around(entry, PAGE), (page) => {
      this.#begin();
      this.#put(page.items);
      this.#older.value = page.next;
      this.#endWith(page.previous);
      this.state.value = 'ready';
    });
    if (!failure?.fields.around) return failure;
    this.isGone.value = true;
    return this.#readNewest();
  }

  async #readOn(way: 'older' | 'newer', path: string | undefined, take: (page: Page<Item>) => void) {
    if (path === undefined || this.#isReadingOn[way]) return;
    this.#isReadingOn[way] = true;
    const end = () => {
      this.#isReadingOn[way] = false;
    };
    // Whoever sees the page may want the next one. What could not be read is read when one scrolls there again.
    await this.#take(path, (page) => {
      end();
      take(page);
    }).finally(end);
  }

  /** @returns why a page could not be read; undefined too where another stretch has begun meanwhile */
  async #take(path: string, take: (page: Page<Item>) => void): Promise<ApiError | undefined> {
    const turn = this.#turn;
    const meanwhile: Meanwhile = { told: new Map(), gone: new Set() };
    this.#reading.add(meanwhile);
    try {
      const page = await askPage<Item>(path);
      if (turn !== this.#turn) return undefined;
      batch(() => {
        take({ ...page, items: page.items.filter(({ uuid }) => !meanwhile.gone.has(uuid)) });
        // Where the end has been reached with it, this has its place now.
        for (const item of meanwhile.told.values()) this.tell(item);
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (turn === this.#turn) return error;
    } finally {
      this.#reading.delete(meanwhile);
    }
    return undefined;
  }

  /** Another stretch takes the place of this one. */
  #begin(): void {
    this.#turn++;
    this.#byId.value = new Map();
  }

  #around(entry: string, limit: number): string {
    return `${this.#path}?around=${encodeURIComponent(entry)}&limit=${limit}`;
  }

  /** @param newer where what comes after it is read; undefined: it reaches to the newest */
  #endWith(newer: string | undefined): void {
    this.#newer = newer;
    this.isLive.value = newer === undefined;
    if (!this.isLive.value || !this.#isBehind) return;
    this.#isBehind = false;
    void this.#readNewest(true);
  }

  #put(items: readonly Item[]): void {
    const next = new Map(this.#byId.value);
    // What was read by REST says more than what the channel told.
    for (const one of items) next.set(one.uuid, { ...next.get(one.uuid), ...one } as Item);
    this.#byId.value = next;
  }
}
