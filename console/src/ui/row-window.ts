import { signal } from '@preact/signals';
import type { VirtualItem, Virtualizer, VirtualizerOptions } from '@tanstack/virtual-core';
import { isPage, isSeen, middleOf, observeOffset, observeRect, type SeenRow, topIn } from './scrolled.ts';

/** What windows are made with: loaded with the first list that is long enough. */
export type WindowLibrary = typeof import('@tanstack/virtual-core');

/** Rows beyond what is seen that are in the page, above and below. */
const OVERSCAN = 8;

/** Where a list is or was: how far it is scrolled (pixels), and how high each row is, by its key. */
export interface Place {
  offset: number;
  heights: ReadonlyMap<string, number>;
  /** The rows that are seen; none at the beginning. */
  seen: readonly SeenRow[];
}

/** A row that is in the page. */
export interface ShownRow<T> {
  item: T;
  index: number;
  /** The room of the rows before it that are not (pixels). */
  before: number;
}

/** The elements of a list: each row has its index as `data-index`. */
export interface ListElements {
  list: HTMLElement;
  /** What is scrolled; `document.documentElement` where that is the page. */
  scroller: HTMLElement;
}

/**
 * The rows of a long list that are near to what is seen, and the one that has the focus with its neighbours, so that the
 * focus is never lost and Tab goes on from it. Whatever comes and goes above what is seen, that stays where it is.
 */
export class RowWindow {
  readonly #library: WindowLibrary;
  readonly #virtualizer: Virtualizer<HTMLElement, HTMLElement>;
  readonly #elements: ListElements;
  readonly #height: number;
  readonly #changes = signal(0);
  /** The row that stays in the page, wherever one scrolls, by its key. */
  kept: string | undefined;
  #keys: readonly string[];
  #places: ReadonlyMap<string, number>;
  /** Where the first row begins, from the beginning of what is scrolled (pixels). */
  #margin = 0;
  /** How far what is seen has moved since the page was last drawn (pixels). */
  #moved = 0;

  /**
   * @param height of a row that was not measured yet (pixels)
   * @param left where the list was left, to be shown there again
   */
  constructor(
    library: WindowLibrary,
    elements: ListElements,
    keys: readonly string[],
    height: number,
    left?: Place,
  ) {
    this.#library = library;
    this.#elements = elements;
    this.#height = height;
    this.#keys = keys;
    this.#places = this.#placesOf(keys);
    this.#margin = this.#marginNow();
    const { scroller } = elements;
    this.#virtualizer = new library.Virtualizer<HTMLElement, HTMLElement>({
      ...this.#options(),
      initialOffset: left?.offset ?? scroller.scrollTop,
      initialRect: { width: scroller.clientWidth, height: scroller.clientHeight },
      initialMeasurementsCache: this.#known(left),
    });
    // What has come above it since is passed over.
    this.#virtualizer.getVirtualItems();
    const offset = this.#middleStart(left?.seen ?? []);
    if (offset !== undefined) this.#virtualizer.scrollOffset = offset;
  }

  /** Takes in another order, or other rows. */
  update(keys: readonly string[]): void {
    if (keys.length === this.#keys.length && keys.every((key, at) => key === this.#keys[at])) return;
    const virtualizer = this.#virtualizer;
    const offset = virtualizer.scrollOffset ?? 0;
    const seen = this.#seen(offset);
    this.#keys = keys;
    this.#places = this.#placesOf(keys);
    virtualizer.setOptions(this.#options());
    virtualizer.getVirtualItems();
    // Whoever looks at the beginning of a list sees what comes there.
    const moved = (this.#middleStart(seen) ?? offset) - offset;
    virtualizer.scrollOffset = offset + moved;
    this.#moved += moved;
  }

  /** The rows that are in the page, and the room of those after the last of them (pixels). */
  rows<T>(items: readonly T[]): { rows: ShownRow<T>[]; after: number } {
    void this.#changes.value;
    let end = this.#margin;
    const rows = this.#virtualizer.getVirtualItems().flatMap((virtual): ShownRow<T>[] => {
      const { index, start } = virtual;
      const before = start - end;
      end = virtual.end;
      return index < items.length ? [{ item: items[index] as T, index, before }] : [];
    });
    return { rows, after: Math.max(0, this.#virtualizer.getTotalSize() - (end - this.#margin)) };
  }

  /** Takes the height of a row, now and whenever it is another one; to be given to each as its `ref`. */
  readonly measure = (row: HTMLElement | null): void => this.#virtualizer.measureElement(row);

  /** To be called whenever the page has been drawn. */
  drawn(): void {
    const { list, scroller } = this.#elements;
    if (this.#moved !== 0 && isSeen(list)) scroller.scrollTop += this.#moved;
    this.#moved = 0;
    this.#virtualizer._willUpdate();
    if (!isPage(scroller) || !isSeen(list)) return;
    const margin = this.#marginNow();
    if (Math.abs(margin - this.#margin) < 1) return;
    this.#margin = margin;
    this.#virtualizer.setOptions(this.#options());
    this.#changes.value++;
  }

  /** Scrolls as little as is needed to see a row. */
  show(index: number): void {
    this.#virtualizer.scrollToIndex(index);
  }

  place(): Place {
    const heights = new Map<string, number>();
    for (const [key, height] of this.#virtualizer.itemSizeCache) heights.set(String(key), height);
    const offset = this.#virtualizer.scrollOffset ?? 0;
    return { offset, heights, seen: this.#seen(offset) };
  }

  stop(): void {
    this.#virtualizer._didMount()();
  }

  #options(): VirtualizerOptions<HTMLElement, HTMLElement> {
    const { elementScroll, measureElement, observeElementRect } = this.#library;
    const { list, scroller } = this.#elements;
    const keys = this.#keys;
    return {
      count: keys.length,
      getItemKey: (index) => keys[index] ?? index,
      getScrollElement: () => scroller,
      estimateSize: () => this.#height,
      // A row that is not seen has no height.
      measureElement: (row, entry, virtualizer) =>
        measureElement(row, entry, virtualizer) || this.#heightOf(row),
      scrollToFn: (...where) => {
        if (isSeen(list)) elementScroll(...where);
      },
      scrollMargin: this.#margin,
      overscan: OVERSCAN,
      rangeExtractor: (range) => this.#withKept(this.#library.defaultRangeExtractor(range)),
      observeElementRect: observeRect(observeElementRect),
      observeElementOffset: observeOffset(list),
      onChange: () => {
        this.#changes.value++;
      },
    };
  }

  #seen(offset: number): SeenRow[] {
    const { startIndex = 0, endIndex = -1 } = this.#virtualizer.range ?? {};
    if (offset <= this.#margin) return [];
    const keys = this.#keys.slice(startIndex, endIndex + 1);
    return keys.map((key, at) => ({ key, top: this.#startOf(startIndex + at) - offset }));
  }

  /** How far is scrolled where rows are seen as they were; undefined where none of them is left. */
  #middleStart(seen: readonly SeenRow[]): number | undefined {
    return middleOf(
      seen.flatMap(({ key, top }) => {
        const at = this.#places.get(key);
        return at === undefined ? [] : this.#startOf(at) - top;
      }),
    );
  }

  #heightOf({ dataset }: HTMLElement): number {
    return this.#virtualizer.itemSizeCache.get(dataset.key ?? '') ?? this.#height;
  }

  #placesOf(keys: readonly string[]): Map<string, number> {
    return new Map(keys.map((key, at) => [key, at]));
  }

  #startOf(index: number): number {
    return this.#virtualizer.measurementsCache[index]?.start ?? 0;
  }

  #marginNow(): number {
    const { list, scroller } = this.#elements;
    return topIn(scroller, list) + scroller.scrollTop;
  }

  #withKept(indexes: number[]): number[] {
    const row = document.activeElement?.closest<HTMLElement>('[data-key]');
    const focused =
      row && this.#elements.list.contains(row) ? this.#places.get(row.dataset.key ?? '') : undefined;
    const kept = this.#places.get(this.kept ?? '');
    const more = [
      ...(focused === undefined ? [] : [focused - 1, focused, focused + 1]),
      ...(kept === undefined ? [] : [kept]),
    ].filter((index) => index >= 0 && index < this.#keys.length);
    return more.length === 0 ? indexes : [...new Set([...indexes, ...more])].sort((a, b) => a - b);
  }

  /** The heights of what stands in the page already, or stood there when it was left. */
  #known(left: Place | undefined): VirtualItem[] {
    const heights = new Map(left?.heights);
    for (const row of this.#elements.list.querySelectorAll<HTMLElement>('[data-key]')) {
      if (!left && row.offsetHeight > 0) heights.set(row.dataset.key ?? '', row.offsetHeight);
    }
    return [...heights].map(([key, size], index) => ({ key, index, size, start: 0, end: size, lane: 0 }));
  }
}
