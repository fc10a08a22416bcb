import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Thread } from '../view/ui.ts';

/** How many messages are in the page at most, however long the conversation is. */
const WINDOW = 80;
const STEP = 30;
/** What a moved window shows is not read out; after this long, what comes is news again. */
const QUIET_MS = 500;
/** Nearer than this to an end, the next ones are drawn. */
const NEAR_PX = 400;
const AT_END_PX = 40;

/** How far it can be scrolled down yet (pixels). */
const below = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number =>
  scrollHeight - scrollTop - clientHeight;

/** Which of the messages are drawn: from `from`, without the one at `end`. */
export interface MessageWindow {
  /** How many of the newest messages are not drawn because one reads far above them. */
  skip: Signal<number>;
  from: number;
  end: number;
}

export function useMessageWindow(thread: Thread): MessageWindow {
  const skip = useSignal(0);
  const end = thread.messages.value.length - skip.value;
  return { skip, end, from: Math.max(0, end - WINDOW) };
}

export interface Scrolling {
  list: RefObject<HTMLDivElement | null>;
  /** Whether one reads far above the newest message. */
  away: Signal<boolean>;
  onScroll(): void;
  toNewest(): void;
}

/** Keeps what one reads where it stands, and moves the window of messages as one scrolls. `sends`: the visitor has
 *  just written, and sees that. */
export function useScrolling(thread: Thread, { skip, from }: MessageWindow, sends: boolean): Scrolling {
  const list = useRef<HTMLDivElement>(null);
  const bottom = useRef(true);
  const anchor = useRef<{ node: HTMLElement; top: number } | undefined>(undefined);
  /** Where it was scrolled to when that was last looked at. */
  const seen = useRef(0);
  const away = useSignal(false);

  /** Notes what one reads and where it stands, so that it can be put back there when rows come and go. */
  const note = (element: HTMLElement) => {
    seen.current = element.scrollTop;
    for (const node of element.querySelectorAll<HTMLElement>('.row')) {
      if (node.offsetTop + node.offsetHeight <= element.scrollTop) continue;
      anchor.current = { node, top: node.offsetTop };
      break;
    }
  };

  /** Moves the window. What was said long ago is no news: it must not be read out. */
  const move = (element: HTMLElement, by: number) => {
    element.ariaLive = 'off';
    skip.value = Math.max(0, skip.peek() + by);
  };

  const onScroll = () => {
    const element = list.current;
    if (!element) return;
    const left = below(element);
    bottom.current = left < AT_END_PX && !skip.peek();
    away.value = left > NEAR_PX || skip.peek() > 0;
    if (bottom.current) thread.read();
    note(element);
    if (element.scrollTop < NEAR_PX && from > 0) move(element, Math.min(STEP, from));
    else if (left < NEAR_PX && skip.peek()) move(element, -STEP);
    else if (element.scrollTop < NEAR_PX && thread.older.peek()) thread.loadOlder();
  };

  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    // Whoever has scrolled up is left there, though the browser tells of it only before its next frame.
    const up = seen.current - element.scrollTop;
    if (up > AT_END_PX && below(element) > AT_END_PX) bottom.current = false;
    const held = anchor.current;
    if (held?.node.isConnected && !bottom.current) element.scrollTop += held.node.offsetTop - held.top;
    const quiet = setTimeout(() => {
      element.ariaLive = null;
    }, QUIET_MS);
    if (sends) bottom.current = true;
    if (bottom.current) element.scrollTop = element.scrollHeight;
    note(element);
    // Older messages that have just come stand above the window, which nobody has scrolled since.
    if (!bottom.current) onScroll();
    return () => clearTimeout(quiet);
  });

  useEffect(() => {
    const element = list.current;
    if (!element) return;
    // A keyboard that opens, a window that is resized: who reads the newest goes on reading it.
    const observer = new ResizeObserver(() => {
      if (bottom.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  return {
    list,
    away,
    onScroll,
    toNewest() {
      skip.value = 0;
      bottom.current = true;
      const element = list.current;
      if (element) element.scrollTop = element.scrollHeight;
    },
  };
}
