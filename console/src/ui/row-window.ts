import { signal } from '@preact/signals';
import type { VirtualItem, Virtualizer, VirtualizerOptions } from '@tanstack/virtual-core';

/** What windows are made with: loaded with the first list that is long enough. */
export type WindowLibrary = typeof import('@tanstack/virtual-core');

/** Rows beyond what is seen that are in the page, above and below. */
const OVERSCAN = 8;

/** Where a list was left: how far it was scrolled (pixels), and how high each row is, by its key. */
export interface Place {
  offset: number;
  heights: ReadonlyMap<string, number>;
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

const isPage = (scroller: HTMLElement): boolean => scroller === document.documentElement;

/** How long after the last step somebody has stopped scrolling (milliseconds). */
const STILL_AFTER_MS = 150;

/** Tells where it is scrolled to; the page tells it as the document. @returns what ends that */
const observeOffset = (
  { scrollElement }: Virtualizer<HTMLElement, HTMLElement>,
  tell: (offset: number, isScrolling: boolean) => void,
): (() => void) => {
  const scroller = scrollElement as HTMLElement;
  const target = isPage(scroller) ? document : scroller;
  let timer: number | undefined;
  const onScroll = () => {
    tell(scroller.scrollTop, true);
    clearTimeout(timer);
    timer = setTimeout(() => tell(scroller.scrollTop, false), STILL_AFTER_MS);
  };
  target.addEventListener('scroll', onScroll, { passive: true });
  return () => {
    target.removeEventListener('scroll', onScroll);
    clearTimeout(timer);
  };
};

const middleOf = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

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
  }

  /** Takes in another order, or other rows. */
  update(keys: readonly string[]): void {
    if (keys.length === this.#keys.length && keys.every((key, at) => key === this.#keys[at])) return;
    const virtualizer = this.#virtualizer;
    const { startIndex = 0, endIndex = -1 } = virtualizer.range ?? {};
    const seen = this.#keys
      .slice(startIndex, endIndex + 1)
      .map((key, at) => [key, this.#startOf(startIndex + at)] as const);
    this.#keys = keys;
    this.#places = this.#placesOf(keys);
    virtualizer.setOptions(this.#options());
    virtualizer.getVirtualItems();
    const offset = virtualizer.scrollOffset ?? 0;
    // Whoever looks at the beginning of a list sees what comes there.
    if (offset <= this.#margin) return;
    const moved = middleOf(
      seen.flatMap(([key, start]) => {
        const at = this.#places.get(key);
        return at === undefined ? [] : this.#startOf(at) - start;
      }),
    );
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
    if (this.#moved !== 0) this.#elements.scroller.scrollTop += this.#moved;
    this.#moved = 0;
    this.#virtualizer._willUpdate();
    if (!isPage(this.#elements.scroller)) return;
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
    return { offset: this.#virtualizer.scrollOffset ?? 0, heights };
  }

  stop(): void {
    this.#virtualizer._didMount()();
  }

  #options(): VirtualizerOptions<HTMLElement, HTMLElement> {
    const { elementScroll, observeElementRect } = this.#library;
    const keys = this.#keys;
    return {
      count: keys.length,
      getItemKey: (index) => keys[index] ?? index,
      getScrollElement: () => this.#elements.scroller,
      estimateSize: () => this.#height,
      scrollToFn: elementScroll,
      scrollMargin: this.#margin,
      overscan: OVERSCAN,
      rangeExtractor: (range) => this.#withKept(this.#library.defaultRangeExtractor(range)),
      observeElementRect: (virtualizer, tell) => {
        const stop = observeElementRect(virtualizer, tell);
        const onResize = () => {
          const { clientWidth, clientHeight } = this.#elements.scroller;
          tell({ width: clientWidth, height: clientHeight });
        };
        addEventListener('resize', onResize);
        return () => {
          stop?.();
          removeEventListener('resize', onResize);
        };
      },
      observeElementOffset: observeOffset,
      onChange: () => {
        this.#changes.value++;
      },
    };
  }

  #placesOf(keys: readonly string[]): Map<string, number> {
    return new Map(keys.map((key, at) => [key, at]));
  }

  #startOf(index: number): number {
    return this.#virtualizer.measurementsCache[index]?.start ?? 0;
  }

  #marginNow(): number {
    const { list, scroller } = this.#elements;
    const top = isPage(scroller) ? 0 : scroller.getBoundingClientRect().top;
    return list.getBoundingClientRect().top - top + scroller.scrollTop;
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
      if (!left) heights.set(row.dataset.key ?? '', row.offsetHeight);
    }
    return [...heights].map(([key, size], index) => ({ key, index, size, start: 0, end: size, lane: 0 }));
  }
}
