import { Sighting } from '@parlor/shared';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { v5 } from 'uuid';
import { present } from '../../database/document.ts';
import { type Page, readPages } from '../../database/pages.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import { inView, isInView, type View } from '../members/view.ts';
import { Newcomers, type Place } from './newcomers.ts';
import type { SightingModel, StoredSighting } from './sightings.model.ts';
import { type RankedSite, sitesBeyond } from './sites-that-stay.ts';
import type { WidgetsService } from './widgets.service.ts';

/** That a widget is still on a site is written down no more often than this, by each process. */
const SEEN_EVERY_MS = 5 * 60_000;

/** How long it may take until that is written: requests do not wait for it. */
const WRITTEN_EVERY_MS = 1_000;

/** How many are written at a time; what comes beyond is noted with a later page view. */
const MAX_WAITING = 200;

/** How many are known not to be written again so soon; those beyond it are written once more. */
const MAX_KNOWN = 10_000;

/** The longest host name has 253 characters (RFC 1035). */
const MAX_ORIGIN = 270;

/** What the ids of sightings derive from: a page view that is noted twice is one sighting. */
const NAMESPACE = '6f1d9c52-7c39-4f0e-9d5a-3f0c8f0c1b7e';

interface Seen {
  _id: string;
  account: string;
  widget: string;
  origin: string;
  at: Date;
  /** What it takes of its address where it turns out to be new. */
  place: Place | undefined;
}

const keyOf = ({ widget, origin }: Pick<Seen, 'widget' | 'origin'>): string => `${widget} ${origin}`;

/** An origin as browsers send it, of pages that are served to others; a sandbox and a file have none. */
const isOfSite = (origin: string): boolean =>
  origin.length <= MAX_ORIGIN &&
  /^https?:/.test(origin) &&
  URL.canParse(origin) &&
  new URL(origin).origin === origin;

/** On which sites each widget is (docs/contract.md#widget): kept in memory for a moment, and written for many at once. */
export class SightingsService {
  readonly #sightings: SightingModel;
  readonly #widgets: Pick<WidgetsService, 'existing'>;
  readonly #sweeper: Sweeper;
  #waiting = new Map<string, Seen>();
  /** Those that were noted lately. */
  readonly #known = new LRUCache<string, true>({ max: MAX_KNOWN, ttl: SEEN_EVERY_MS });
  /** Those that are written down, as far as this process knows: whoever tells of them adds none. */
  readonly #listed = new LRUCache<string, true>({ max: MAX_KNOWN });
  readonly #newcomers = new Newcomers();

  constructor(sightings: SightingModel, widgets: Pick<WidgetsService, 'existing' | 'onDelete'>, log: Logger) {
    this.#sightings = sightings;
    this.#widgets = widgets;
    widgets.onDelete(({ _id }) => this.#forget([_id]));
    this.#sweeper = new Sweeper({
      sweep: () => this.#write(),
      every: WRITTEN_EVERY_MS,
      log,
      failed: 'where widgets were seen was not written down',
    });
  }

  /** A page of that origin shows a widget, as somebody at the address `client` says. Returns at once. */
  note({ account, widget }: { account: string; widget: string }, origin: string, client: string): void {
    const key = keyOf({ widget, origin });
    if (this.#known.has(key)) return;
    if (this.#waiting.size >= MAX_WAITING || !isOfSite(origin)) return;
    const isListed = this.#listed.has(key);
    const place = isListed ? undefined : this.#newcomers.take(widget, client);
    if (!isListed && !place) return;
    this.#known.set(key, true);
    this.#waiting.set(key, { _id: v5(key, NAMESPACE), account, widget, origin, at: new Date(), place });
  }

  /** Those that somebody sees, newest site first; of one widget, where that is asked for. */
  async *list(view: View, widget: string | undefined, page: Page): AsyncGenerator<StoredSighting[]> {
    const { account } = view;
    if (widget !== undefined && !isInView(view, { account, widget })) return;
    const filter = widget === undefined ? inView(view) : { widget, account };
    yield* readPages(this.#sightings, filter, 'first_seen_at', page);
  }

  start(): void {
    this.#sweeper.start();
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop();
    await this.#write();
  }

  async #write(): Promise<void> {
    const seen = [...this.#waiting];
    if (seen.length === 0) return;
    this.#waiting = new Map();
    const writes = seen.map(([, { _id, account, widget, origin, at }]) => {
      const made = { account, widget, origin, first_seen_at: at };
      const update = { $max: { last_seen_at: at }, $setOnInsert: made };
      return { updateOne: { filter: { _id }, update, upsert: true } };
    });
    try {
      const { upsertedIds } = await this.#sightings.collection.bulkWrite(writes as never, { ordered: false });
      const made = new Set<string>();
      for (const [index, [key, { widget, place }]] of seen.entries()) {
        this.#listed.set(key, true);
        if (index in upsertedIds) made.add(widget);
        else place?.giveBack();
      }
      if (made.size > 0) await this.#tidy([...made]);
    } catch (error) {
      // The next page view notes it again.
      for (const [key, { place }] of seen) {
        this.#known.delete(key);
        place?.giveBack();
      }
      throw error;
    }
  }

  /** After sites were added: none of a widget that was deleted meanwhile, and no more than a widget may have. */
  async #tidy(widgets: readonly string[]): Promise<void> {
    const existing = await this.#widgets.existing(widgets);
    const gone = widgets.filter((widget) => !existing.has(widget));
    if (gone.length > 0) await this.#forget(gone);
    for (const widget of existing) {
      const ranked = { origin: 1, first_seen_at: 1, last_seen_at: 1 };
      const beyond = sitesBeyond(await this.#sightings.find({ widget }, ranked).lean<RankedSite[]>());
      if (beyond.length === 0) continue;
      for (const { origin } of beyond) this.#listed.delete(keyOf({ widget, origin }));
      await this.#sightings.deleteMany({ _id: { $in: beyond.map(({ _id }) => _id) } });
    }
  }

  async #forget(widgets: readonly string[]): Promise<void> {
    await this.#sightings.deleteMany({ widget: { $in: widgets as string[] } });
  }
}

/** The API's form of a sighting. */
export const presentSighting = (sighting: StoredSighting): Sighting => present(Sighting, sighting);
