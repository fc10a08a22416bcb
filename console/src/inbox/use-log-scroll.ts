import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Thread } from './thread.ts';

/** Whoever has scrolled up further than this reads, and is left where they are (pixels). */
const NEAR = 80;

/** How far it can be scrolled down yet (pixels). */
const below = (log: HTMLElement): number => log.scrollHeight - log.scrollTop - log.clientHeight;

const rowOf = (log: HTMLElement, uuid: string): HTMLElement | null =>
  log.querySelector(`[data-key="${CSS.escape(uuid)}"]`);

/** The row in the middle of what is seen, and where on the screen it ends: above what it says a name or a day may come and go. */
const middle = (log: HTMLElement): { uuid: string; bottom: number } | undefined => {
  const { top, height } = log.getBoundingClientRect();
  let found: { uuid: string; bottom: number } | undefined;
  for (const row of log.querySelectorAll<HTMLElement>('[data-key]')) {
    const box = row.getBoundingClientRect();
    if (found && box.top > top + height / 2) break;
    found = { uuid: row.dataset.key ?? '', bottom: box.bottom };
  }
  return found;
};

/** Whoever selects something to copy it loses nothing of it. */
const isSelectedIn = (log: HTMLElement): boolean => {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(log, true);
};

/** Nobody who writes loses the focus. */
const isWriting = (): boolean =>
  document.activeElement?.matches('input, textarea, select, [contenteditable], dialog *') ?? false;

/**
 * Where a conversation is scrolled to: at its end, at an entry that is shown, or wherever somebody reads, which stays where it
 * is on the screen whatever comes above it.
 * @param waiting how much is on its way below what was said
 * @param entry the uuid of what is to be shown; undefined: the newest
 * @param onNewest called where somebody goes to the newest
 */
export const useLogScroll = (
  thread: Thread,
  waiting: number,
  entry: string | undefined,
  onNewest?: () => void,
) => {
  const { stretch } = thread;
  const log = useRef<HTMLDivElement>(null);
  /** What is to be scrolled to as soon as it is there. */
  const sought = useRef(entry);
  const isAtEnd = useRef(entry === undefined);
  /** Where it was scrolled to when that was last looked at. */
  const seenTop = useRef(0);
  const [isAway, setAway] = useState(false);
  const items = stretch.items.value;
  const isLive = stretch.isLive.value;
  const isGone = stretch.isGone.value;
  const drawn = useRef({ items, waiting, entry, isGone });
  if (drawn.current.entry !== entry || drawn.current.isGone !== isGone) {
    sought.current = isGone ? undefined : entry;
    isAtEnd.current = sought.current === undefined;
  }
  // Whoever has scrolled up is left there, though the browser tells of it only before its next frame.
  if (isAtEnd.current && log.current && log.current.scrollTop < seenTop.current) {
    isAtEnd.current = below(log.current) < NEAR;
  }
  // Whoever sends something sees it.
  if (waiting > drawn.current.waiting) isAtEnd.current = true;
  /** What has the focus in it: where that is forgotten, keys go on scrolling. */
  const focused = log.current?.contains(document.activeElement) ? document.activeElement : undefined;
  const held = drawn.current.items !== items && log.current ? middle(log.current) : undefined;
  drawn.current = { items, waiting, entry, isGone };

  const look = () => {
    const { current } = log;
    if (!current) return;
    seenTop.current = current.scrollTop;
    const left = below(current);
    isAtEnd.current = isLive && left < NEAR;
    setAway(!isAtEnd.current);
    // Read on before there is nothing more to be seen.
    const ahead = Math.max(2 * NEAR, current.clientHeight);
    if (current.scrollTop < ahead) void stretch.readOlder();
    if (left < ahead) void stretch.readNewer();
    trim(current);
  };
  const trim = (log: HTMLElement) => {
    if (!stretch.isTooLong.value) return;
    const seen = isAtEnd.current ? stretch.items.value.at(-1)?.uuid : middle(log)?.uuid;
    if (seen !== undefined && !isSelectedIn(log)) void stretch.trim(seen);
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
      seenTop.current = current.scrollTop;
      trim(current);
    } else if (held && kept) {
      current.scrollTop += kept.getBoundingClientRect().bottom - held.bottom;
    }
    if (focused && !focused.isConnected) current.focus({ preventScroll: true });
    // Whoever is at an edge can't scroll on to ask for more.
    if (!isAtEnd.current) look();
  }, [items, isLive, isGone, entry, waiting, thread.isTyping.value]);

  const toNewest = () => {
    sought.current = undefined;
    isAtEnd.current = true;
    if (isLive) log.current?.scrollTo({ top: log.current.scrollHeight });
    else void stretch.showNewest();
    onNewest?.();
  };
  /** The end of a conversation, and not of what is here of it. */
  const onKeyDown = (event: KeyboardEvent) => {
    const hasModifier = event.metaKey || event.altKey || event.shiftKey;
    if (event.key !== 'End' || hasModifier || isLive || event.target !== event.currentTarget) return;
    event.preventDefault();
    toNewest();
  };
  return { log, isAway, onScroll: look, onKeyDown, toNewest };
};
