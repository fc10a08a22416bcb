import type { Lead, ServerFrame } from '@parlor/shared';
import { MAX_PAGE_SIZE } from '@parlor/shared/limits';
import { batch, computed, signal } from '@preact/signals';
import { ApiError } from '../api/client.ts';
import { removed } from '../ui/removal.ts';
import { type Filter, isWithin, readLeads } from './filter.ts';

/** Where a lead is, behind /api/v1/. */
export const pathOf = ({ uuid }: Pick<Lead, 'uuid'>): string => `leads/${uuid}/`;

/** Newest first, as the server lists them. */
const compare = (a: Lead, b: Lead): number =>
  b.created_at.localeCompare(a.created_at) || b.uuid.localeCompare(a.uuid);

/** New leads may come faster than a search for them is worth (milliseconds). */
const SEARCH_AGAIN_MS = 500;

/** How many leads a page has. */
const PAGE = 50;

/** How many may come or change while nobody looks; then they are read anew when somebody does. */
const MAX_UNSEEN = 500;

/** The leads of a filter, read page by page, and kept right by the live channel. */
export class LeadList {
  readonly state = signal<'loading' | 'ready' | 'failed'>('loading');
  readonly hasMore = signal(false);
  readonly #leads = signal<readonly Lead[]>([]);
  /** Without what is being removed. */
  readonly leads = computed(() => this.#leads.value.filter((lead) => !removed.value.has(pathOf(lead))));
  #filter: Filter | undefined;
  #isSeen = false;
  /** It has to be read anew when somebody looks again. */
  #isStale = false;
  /** How many have come while nobody looked. */
  #unseen = 0;
  #next: string | undefined;
  /** What was asked for last. */
  #asked: string | undefined;
  /** Counts the filters: an answer to an earlier one is too late. */
  #turn = 0;
  /** What the channel has told while a page was read: it is newer. Undefined: deleted. */
  readonly #told = new Map<string, Lead | undefined>();
  #again: number | undefined;

  /** Whether it shows the leads of a filter. */
  isOf({ text, days }: Filter): boolean {
    const { text: own, days: ownDays } = this.#filter ?? {};
    return text === own && days.start === ownDays?.start && days.end === ownDays.end;
  }

  /**
   * Shows the leads of a filter: as they stand where they are shown already, else from the newest on; until they are
   * there, those of the last one.
   */
  show(filter: Filter): void {
    const isRead = this.state.value !== 'failed' || this.#leads.value.length > 0;
    if (this.isOf(filter) && isRead) return;
    this.#filter = filter;
    this.#turn++;
    void this.#read(undefined);
  }

  /** Says that somebody looks at it; while nobody does, nothing is read. @returns what ends that */
  look(): () => void {
    this.#isSeen = true;
    this.#unseen = 0;
    if (this.#isStale) this.readAnew();
    return () => {
      this.#isSeen = false;
    };
  }

  /** Reads on, or again what could not be read. */
  more(): void {
    if (this.state.value !== 'loading') {
      void this.#read(this.state.value === 'failed' ? this.#asked : this.#next);
    }
  }

  /** Reads again what is shown, since it can't be told what has changed; of a long list the newest. */
  readAnew(): void {
    this.#isStale = !this.#isSeen;
    if (this.#isStale) return;
    this.#turn++;
    const limit = Math.min(MAX_PAGE_SIZE, Math.max(PAGE, this.#leads.value.length));
    void this.#read(undefined, limit);
  }

  /** Takes in what the live channel tells. */
  take(frame: ServerFrame): void {
    if (frame.type === 'lead.deleted') this.drop(frame.data.uuid);
    if (frame.type !== 'lead.added' && frame.type !== 'lead.changed') return;
    if (!this.#isSeen && ++this.#unseen > MAX_UNSEEN) this.readAnew();
    if (this.#isStale) return;
    const { changed: _, ...lead } = frame.data;
    this.#note(lead.uuid, lead);
    if (this.has(lead.uuid)) this.put(lead);
    else if (this.#filter?.text !== '') this.#searchAgain();
    else if (frame.type === 'lead.added' && this.#belongs(lead)) this.put(lead);
  }

  /** Shows a lead as it stands now. */
  put(lead: Lead): void {
    const others = this.#leads.value.filter(({ uuid }) => uuid !== lead.uuid);
    this.#leads.value = [...others, lead].sort(compare);
  }

  /** Whether a lead is among those that were read. */
  has(uuid: string): boolean {
    return this.#leads.value.some((lead) => lead.uuid === uuid);
  }

  /** Shows a lead no more, which was deleted. */
  drop(uuid: string): void {
    this.#note(uuid, undefined);
    this.#leads.value = this.#leads.value.filter((lead) => lead.uuid !== uuid);
  }

  stop(): void {
    this.#turn++;
    clearTimeout(this.#again);
  }

  /** What is being read may be older than this. */
  #note(uuid: string, lead: Lead | undefined): void {
    if (this.state.value === 'loading') this.#told.set(uuid, lead);
  }

  /** What is older than all that was read comes with its page. */
  #belongs(lead: Lead): boolean {
    const last = this.#leads.value.at(-1);
    const isRead = this.#next === undefined || (last !== undefined && compare(lead, last) < 0);
    return isRead && this.#isWithin(lead);
  }

  #isWithin({ created_at }: Lead): boolean {
    return this.#filter !== undefined && isWithin(this.#filter.days, created_at);
  }

  #searchAgain(): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.readAnew(), SEARCH_AGAIN_MS);
  }

  async #read(path: string | undefined, limit = PAGE): Promise<void> {
    if (!this.#filter) return;
    const turn = this.#turn;
    this.#asked = path;
    this.state.value = 'loading';
    this.#told.clear();
    try {
      const page = await readLeads(this.#filter, path, limit);
      if (turn !== this.#turn) return;
      const newest = (lead: Lead) => (this.#told.has(lead.uuid) ? this.#told.get(lead.uuid) : lead);
      const items = page.items.map(newest).filter((lead) => lead !== undefined);
      const known = new Set(items.map(({ uuid }) => uuid));
      const before = path === undefined ? this.#missedBy(page.next, items) : this.#leads.value;
      batch(() => {
        this.#next = page.next;
        this.hasMore.value = page.next !== undefined;
        this.#leads.value = [...before.filter(({ uuid }) => !known.has(uuid)), ...items].sort(compare);
        this.state.value = 'ready';
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (turn === this.#turn) this.state.value = 'failed';
    }
  }

  /** What came while the first page was read, and is not on it. */
  #missedBy(next: string | undefined, items: readonly Lead[]): Lead[] {
    const last = items.at(-1);
    if (this.#filter?.text !== '') return [];
    const told = [...this.#told.values()].filter((lead) => lead !== undefined);
    return told.filter(
      (lead) =>
        this.#isWithin(lead) && (next === undefined || (last !== undefined && compare(lead, last) < 0)),
    );
  }
}
