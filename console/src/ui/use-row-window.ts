import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Left, leave, placeOf } from './left-place.ts';
import { type Place, RowWindow, type ShownRow } from './row-window.ts';
import { isSeen, listenToScroll, scrollBack, seenRows } from './scrolled.ts';
import { whenIdle } from './when-idle.ts';
import { library, loadLibrary } from './window-library.ts';

/** A list of up to so many rows is in the page as a whole. */
const WHOLE = 100;

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
  /** What whoever comes back from another page finds where it was left. */
  back: Left;
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
  /** Whether it has begun where it was left. */
  isBack: boolean;
}

/**
 * The rows of a list that are to be in the page: of a long one those near to what is seen. Each row needs its index as
 * `data-index`, and its key as `data-key`.
 */
export const useRowWindow = <T>(items: readonly T[], options: Options<T>): Windowed<T> => {
  const { keyOf, height, list, scroller, back, kept } = options;
  const own = useRef<RowWindow>(undefined);
  const left = useMemo(() => placeOf(back), []);
  // Where it was left: for the window that the list begins with, and for none that comes later.
  const from = useRef(items.length > WHOLE && library.peek() ? left : undefined);
  const last = useRef<Place>(left ?? { offset: 0, heights: new Map(), seen: [] });
  /** Whether something else was in its place, and the page was scrolled for that. */
  const wasAway = useRef(left !== undefined);
  const [, setThere] = useState(false);
  const [isPainted, setPainted] = useState(left !== undefined);
  // So many fill the screen: they are painted before the rest of the list is drawn.
  const first = useMemo(() => Math.ceil(innerHeight / height) + 1, []);
  /** The row that is to be seen, and was not drawn yet. */
  const wanted = useRef<number>(undefined);
  // The next rows are in another element.
  if (items.length === 0) {
    own.current?.stop();
    own.current = undefined;
  }
  const wants = own.current !== undefined || items.length > WHOLE;
  if (wants && !library.value) loadLibrary();
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
  const place = (): Place => own.current?.place() ?? last.current;
  const ways = useRef({ back, place });
  ways.current = { back, place };

  useLayoutEffect(() => {
    own.current?.drawn();
    const element = scrolled();
    const isDrawn = own.current !== undefined || !wants || !library.value;
    if (wasAway.current && isDrawn && element && list.current && isSeen(list.current)) {
      wasAway.current = false;
      const { offset, seen } = place();
      scrollBack(list.current, element, offset, seen);
    }
    // A row that was moved in the page has lost it.
    if (focused?.isConnected && document.activeElement === document.body) {
      (focused as HTMLElement).focus({ preventScroll: true });
    }
    // The elements were not there yet.
    if (wants && library.value && !own.current && list.current) setThere(true);
  });
  const hasRows = items.length > 0;
  useLayoutEffect(() => {
    if (!hasRows || isPainted) return;
    let callOff: (() => void) | undefined;
    const frame = requestAnimationFrame(() => {
      callOff = whenIdle(() => setPainted(true));
    });
    return () => {
      cancelAnimationFrame(frame);
      callOff?.();
    };
  }, [hasRows, isPainted]);
  useLayoutEffect(() => {
    const element = scrolled();
    const stop =
      element &&
      listenToScroll(element, () => {
        if (!list.current) return;
        if (!isSeen(list.current)) wasAway.current = true;
        else if (!own.current) {
          const seen = seenRows(list.current, element);
          last.current = { offset: element.scrollTop, heights: new Map(), seen };
        }
      });
    // The browser knows only how far the page was scrolled, and not what has come above since.
    if (!scroller) history.scrollRestoration = 'manual';
    return () => {
      if (!scroller) history.scrollRestoration = 'auto';
      stop?.();
      leave(ways.current.back, ways.current.place());
      own.current?.stop();
    };
  }, []);

  // What is drawn for the first time gets its window at once.
  const most = isPainted ? (wants && library.value ? WHOLE : items.length) : first;
  const { rows, after } = own.current?.rows(items) ?? {
    rows: items.slice(0, most).map((item, index) => ({ item, index, before: 0 })),
    after: 0,
  };
  const scrollTo = (index: number) => {
    const row = list.current?.querySelector(`[data-index="${index}"]`);
    row?.scrollIntoView({ block: 'nearest' });
    wanted.current = row ? undefined : index;
  };
  useEffect(() => {
    if (wanted.current !== undefined) scrollTo(wanted.current);
  }, [isPainted]);
  return {
    rows,
    after,
    isWhole: own.current === undefined,
    measure: own.current?.measure,
    show(index) {
      if (own.current) own.current.show(index);
      else scrollTo(index);
    },
    isBack: left !== undefined,
  };
};
