import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Thread } from './thread.ts';

/** Whoever has scrolled up further than this reads, and is left where they are (pixels). */
const NEAR = 80;

const rowOf = (log: HTMLElement, uuid: string): HTMLElement | null =>
  log.querySelector(`[data-key="${CSS.escape(uuid)}"]`);

/** The uppermost row that is seen, and where on the screen it is. */
const uppermost = (log: HTMLElement): { uuid: string; top: number } | undefined => {
  const { top } = log.getBoundingClientRect();
  for (const row of log.querySelectorAll<HTMLElement>('[data-key]')) {
    const box = row.getBoundingClientRect();
    if (box.bottom > top) return { uuid: row.dataset.key ?? '', top: box.top };
  }
  return undefined;
};

/** Nobody who writes loses the focus. */
const isWriting = (): boolean =>
  document.activeElement?.matches('input, textarea, select, [contenteditable], dialog *') ?? false;

/**
 * Where a conversation is scrolled to: at its end, at an entry that is shown, or wherever somebody reads, which stays where it
 * is on the screen whatever comes above it.
 * @param entry the uuid of what is to be shown; undefined: the newest
 */
export const useLogScroll = (thread: Thread, entry: string | undefined) => {
  const { stretch } = thread;
  const log = useRef<HTMLDivElement>(null);
  /** What is to be scrolled to as soon as it is there. */
  const sought = useRef(entry);
  const isAtEnd = useRef(entry === undefined);
  const [isAway, setAway] = useState(false);
  const items = stretch.items.value;
  const isLive = stretch.isLive.value;
  const isGone = stretch.isGone.value;
  const waiting = thread.shownOutgoing.value.length;
  const drawn = useRef({ items, waiting, entry, isGone });
  if (drawn.current.entry !== entry || drawn.current.isGone !== isGone) {
    sought.current = isGone ? undefined : entry;
    isAtEnd.current = sought.current === undefined;
  }
  // Whoever sends something sees it.
  if (waiting > drawn.current.waiting) isAtEnd.current = true;
  const held = drawn.current.items !== items && log.current ? uppermost(log.current) : undefined;
  drawn.current = { items, waiting, entry, isGone };

  const look = () => {
    const { current } = log;
    if (!current) return;
    const below = current.scrollHeight - current.scrollTop - current.clientHeight;
    isAtEnd.current = isLive && below < NEAR;
    setAway(!isAtEnd.current);
    // Read on before there is nothing more to be seen.
    const ahead = Math.max(2 * NEAR, current.clientHeight);
    if (current.scrollTop < ahead) void stretch.readOlder();
    if (below < ahead) void stretch.readNewer();
  };
  useLayoutEffect(() => {
    const { current } = log;
    // To ask how high something is has the browser lay out the page.
    if (!current || (items.length === 0 && waiting === 0)) return;
    const target = sought.current === undefined ? null : rowOf(current, sought.current);
    const kept = held && rowOf(current, held.uuid);
    if (target) {
      sought.current = undefined;
      isAtEnd.current = false;
      target.scrollIntoView({ block: 'center' });
      if (!isWriting()) target.focus({ preventScroll: true });
      setAway(!isLive);
    } else if (isLive && (isAtEnd.current || (held && !kept && sought.current === undefined))) {
      isAtEnd.current = true;
      current.scrollTop = current.scrollHeight;
      void stretch.trim();
    } else if (held && kept) {
      current.scrollTop += kept.getBoundingClientRect().top - held.top;
    }
  }, [items, isLive, isGone, entry, waiting, thread.isTyping.value]);

  return {
    log,
    isAway,
    onScroll: look,
    toNewest: () => {
      sought.current = undefined;
      isAtEnd.current = true;
      if (isLive) log.current?.scrollTo({ top: log.current.scrollHeight });
      else void stretch.showNewest();
    },
  };
};
