import { signal } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Place, RowWindow, type ShownRow, type WindowLibrary } from './row-window.ts';

/** A list of up to so many rows is in the page as a whole. */
const WHOLE = 100;

const library = signal<WindowLibrary | undefined>(undefined);
let isAskedFor = false;

const load = (): void => {
  if (isAskedFor) return;
  isAskedFor = true;
  import('@tanstack/virtual-core').then(
    (loaded) => {
      library.value = loaded;
    },
    // The network is away, or an update has brought other files: the list stays in the page as a whole.
    () => undefined,
  );
};

/** An element's `ref`. */
interface Rendered {
  readonly current: HTMLElement | null;
}

interface Options<T> {
  keyOf(item: T): string;
  /** Of a row that was not measured yet (pixels). */
  height: number;
  /** What has the rows. */
  list: Rendered;
  /** What is scrolled; without it the page. */
  scroller?: Rendered;
  /** Where the list was left, to be shown there again. */
  left?: Place | undefined;
  /** The key of a row that stays in the page, wherever one scrolls. */
  kept?: string | undefined;
}

interface Windowed<T> {
  rows: readonly ShownRow<T>[];
  /** The room of the rows after the last of them (pixels). */
  after: number;
  /** Whether all rows are in the page. */
  isWhole: boolean;
  /** The `ref` of each row. */
  measure: ((row: HTMLElement | null) => void) | undefined;
  /** Scrolls as little as is needed to see a row. */
  show(index: number): void;
  /** Where the list is now. */
  place(): Place;
}

/**
 * The rows of a list that are to be in the page: of a long one those near to what is seen. Each row needs its index as
 * `data-index`, and its key as `data-key`.
 */
export const useRowWindow = <T>(items: readonly T[], options: Options<T>): Windowed<T> => {
  const { keyOf, height, list, scroller, left, kept } = options;
  const own = useRef<RowWindow>(undefined);
  // Where it was left: for the window that the list begins with, and for none that comes later.
  const from = useRef(items.length > WHOLE && library.peek() ? left : undefined);
  const [, setThere] = useState(false);
  // The next rows are in another element.
  if (items.length === 0) {
    own.current?.stop();
    own.current = undefined;
  }
  const wants = own.current !== undefined || items.length > WHOLE;
  if (wants && !library.value) load();
  const scrolled = () => (scroller ? scroller.current : document.documentElement);
  const keys = wants ? items.map(keyOf) : [];
  const elements = { list: list.current, scroller: scrolled() };
  if (own.current) own.current.update(keys);
  else if (wants && library.value && elements.list && elements.scroller) {
    const { list, scroller } = elements;
    own.current = new RowWindow(library.value, { list, scroller }, keys, height, from.current);
  }
  if (own.current) own.current.kept = kept;
  const focused = list.current?.contains(document.activeElement) ? document.activeElement : undefined;

  useLayoutEffect(() => {
    own.current?.drawn();
    // A row that was moved in the page has lost it.
    if (focused?.isConnected && document.activeElement === document.body) {
      (focused as HTMLElement).focus({ preventScroll: true });
    }
    // The elements were not there yet.
    if (wants && library.value && !own.current && list.current) setThere(true);
  });
  useLayoutEffect(() => {
    const element = scrolled();
    if (left && element && !from.current) element.scrollTop = left.offset;
    return () => own.current?.stop();
  }, []);

  const { rows, after } = own.current?.rows(items) ?? {
    // What is drawn for the first time gets its window at once.
    rows: (wants && library.value ? items.slice(0, WHOLE) : items).map((item, index) => ({
      item,
      index,
      before: 0,
    })),
    after: 0,
  };
  return {
    rows,
    after,
    isWhole: own.current === undefined,
    measure: own.current?.measure,
    show(index) {
      if (own.current) own.current.show(index);
      else list.current?.querySelector(`[data-index="${index}"]`)?.scrollIntoView({ block: 'nearest' });
    },
    place: () => own.current?.place() ?? { offset: scrolled()?.scrollTop ?? 0, heights: new Map() },
  };
};
