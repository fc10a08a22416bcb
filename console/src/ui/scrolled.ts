import type { Virtualizer } from '@tanstack/virtual-core';

type OfRows = Virtualizer<HTMLElement, HTMLElement>;

/** Whether it is the page that is scrolled. */
export const isPage = (scroller: HTMLElement): boolean => scroller === document.documentElement;

/** Whether a list is seen: on a phone, what is opened takes its place meanwhile. */
export const isSeen = (list: HTMLElement): boolean => list.getClientRects().length > 0;

/** A row that is seen, and how far its top is below that of what is scrolled (pixels). */
export interface SeenRow {
  key: string;
  top: number;
}

/** The median: of what is seen, one row may have gone elsewhere. Undefined of none. */
export const middleOf = (numbers: readonly number[]): number | undefined =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** How far an element's top is below that of what is seen of the scroller (pixels). */
export const topIn = (scroller: HTMLElement, element: HTMLElement): number =>
  element.getBoundingClientRect().top - (isPage(scroller) ? 0 : scroller.getBoundingClientRect().top);

const rowsOf = (list: HTMLElement): HTMLElement[] => [...list.querySelectorAll<HTMLElement>('[data-key]')];

/** The rows of a list that are seen; none at its beginning, where whoever looks at it sees what comes. */
export const seenRows = (list: HTMLElement, scroller: HTMLElement): SeenRow[] => {
  if (topIn(scroller, list) >= 0) return [];
  return rowsOf(list)
    .map((row) => ({ key: row.dataset.key ?? '', top: topIn(scroller, row), height: row.offsetHeight }))
    .filter(({ top, height }) => top + height > 0 && top < scroller.clientHeight);
};

/** Scrolls to where a list was, however much has come above since. */
export const scrollBack = (
  list: HTMLElement,
  scroller: HTMLElement,
  offset: number,
  seen: readonly SeenRow[],
): void => {
  scroller.scrollTop = offset;
  const tops = new Map(seen.map(({ key, top }) => [key, top]));
  const moved = rowsOf(list).flatMap((row) => {
    const top = tops.get(row.dataset.key ?? '');
    return top === undefined ? [] : [topIn(scroller, row) - top];
  });
  scroller.scrollTop += middleOf(moved) ?? 0;
};

/** How long after the last step somebody has stopped scrolling (milliseconds). */
const STILL_AFTER_MS = 150;

/** Calls `onScroll` with each step; the page tells it as the document. @returns what ends that */
export const listenToScroll = (scroller: HTMLElement, onScroll: () => void): (() => void) => {
  const target = isPage(scroller) ? document : scroller;
  target.addEventListener('scroll', onScroll, { passive: true });
  return () => target.removeEventListener('scroll', onScroll);
};

/** Tells where a list is scrolled to, while it is seen. @returns what ends that */
export const observeOffset =
  (list: HTMLElement) =>
  ({ scrollElement }: OfRows, tell: (offset: number, isScrolling: boolean) => void): (() => void) => {
    const scroller = scrollElement as HTMLElement;
    let timer: number | undefined;
    const tellNow = (isScrolling: boolean) => {
      if (isSeen(list)) tell(scroller.scrollTop, isScrolling);
    };
    const stop = listenToScroll(scroller, () => {
      tellNow(true);
      clearTimeout(timer);
      timer = setTimeout(() => tellNow(false), STILL_AFTER_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  };

/** Tells how large what is scrolled is, while it is seen. @returns what ends that */
export const observeRect =
  (observe: typeof import('@tanstack/virtual-core').observeElementRect) =>
  (virtualizer: OfRows, tell: (rect: { width: number; height: number }) => void): (() => void) => {
    const tellSeen = (rect: { width: number; height: number }) => {
      if (rect.height > 0) tell(rect);
    };
    const stop = observe(virtualizer, tellSeen);
    const onResize = () => {
      const { clientWidth, clientHeight } = virtualizer.scrollElement as HTMLElement;
      tellSeen({ width: clientWidth, height: clientHeight });
    };
    addEventListener('resize', onResize);
    return () => {
      stop?.();
      removeEventListener('resize', onResize);
    };
  };
