import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { type Row, toLines, toRows, waitingLines } from '../conversation/timeline.ts';
import { Avatar, Bubble, greeting } from '../view/bubble.tsx';
import { Icon, PATHS } from '../view/icons.tsx';
import type { Ui } from '../view/ui.ts';
import { dayName } from './day.ts';
import { Failure } from './failure.tsx';
import type { Talk } from './index.tsx';
import { Text } from './text.tsx';

const ALERT = 'M12 7.5V13m0 3.5v.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z';

/** How many messages are in the page at most, however long the conversation is. */
const WINDOW = 80;
const STEP = 30;
/** What a moved window shows is not read out; after this long, what comes is news again. */
const QUIET_MS = 500;
/** Nearer than this to an end (px), the next ones are drawn. */
const NEAR = 400;

/** The conversation. Long ones are drawn in part: a window of messages that moves as one scrolls. */
export function Log({ ui }: { ui: Ui }) {
  const { core, host } = ui;
  const talk = ui.talk.value as Talk;
  const t = ui.texts.value;
  const element = useRef<HTMLDivElement>(null);
  const bottom = useRef(true);
  const anchor = useRef<{ node: HTMLElement; top: number } | undefined>(undefined);
  const drawings = useRef(new Map<string, { looks: string; node: JSX.Element }>());
  /** How many of the newest messages are not drawn because one reads far above them. */
  const skip = useSignal(0);
  const away = useSignal(false);

  const said = talk.said.value;
  const end = said.length - skip.value;
  const from = Math.max(0, end - WINDOW);
  const lines = toLines(said.slice(from, end), talk.keys, talk.seenUpTo.value, core.store.get('skew') ?? 0);
  if (!skip.value) lines.push(...waitingLines(core.items.value));
  // A bot's greeting is a message of the room; then it is not said twice.
  const whole = !from && !talk.older.value && (said.length > 0 || !talk.loading.value);
  if (host.widget.greeting_message && whole && !said[0]?.is_support_sender) {
    lines.unshift(greeting(ui));
  }
  const rows = toRows(lines);
  const before = drawings.current;
  drawings.current = new Map();
  const byBot = !talk.botLeft.value && said.findLast((message) => message.is_support_sender)?.is_bot;
  const newest = lines.at(-1);

  /** Notes what one reads and where it stands, so that it can be put back there when rows come and go. */
  const note = (log: HTMLElement) => {
    for (const node of log.querySelectorAll<HTMLElement>('.row')) {
      if (node.offsetTop + node.offsetHeight <= log.scrollTop) continue;
      anchor.current = { node, top: node.offsetTop };
      break;
    }
  };

  /** Moves the window. What was said long ago is no news: it must not be read out. */
  const move = (log: HTMLElement, by: number) => {
    log.ariaLive = 'off';
    skip.value = Math.max(0, skip.peek() + by);
  };

  /** A row that is as it was keeps its very node, which the renderer then passes over. */
  const draw = (row: Row) => {
    const looks = [row.state, row.reason, row.first, row.last, row.day, ui.tag.value].join();
    let drawn = before.get(row.key);
    if (drawn?.looks !== looks) {
      const node = (
        <li key={row.key}>
          {row.day && <p class="day">{dayName(row.at ?? 0, Date.now(), ui.tag.value, t)}</p>}
          <Bubble
            ui={ui}
            line={row}
            first={row.first}
            last={row.last}
            below={row.state === 'failed' && <Failure ui={ui} line={row} />}
          >
            <Text text={row.body} />
          </Bubble>
        </li>
      );
      drawn = { looks, node };
    }
    drawings.current.set(row.key, drawn);
    return drawn.node;
  };

  const onScroll = () => {
    const log = element.current;
    if (!log) return;
    const below = log.scrollHeight - log.scrollTop - log.clientHeight;
    bottom.current = below < 40 && !skip.peek();
    away.value = below > NEAR || skip.peek() > 0;
    if (bottom.current) talk.read();
    note(log);
    if (log.scrollTop < NEAR && from > 0) move(log, Math.min(STEP, from));
    else if (below < NEAR && skip.peek()) move(log, -STEP);
    else if (log.scrollTop < NEAR && talk.older.peek()) talk.loadOlder();
  };

  const askForPerson = () => {
    talk.wantPerson(t.personAsk);
    // The button goes; whoever used it by keyboard goes on writing.
    element.current?.closest('.panel')?.querySelector('textarea')?.focus();
  };

  const toNewest = () => {
    skip.value = 0;
    bottom.current = true;
    const log = element.current;
    if (log) log.scrollTop = log.scrollHeight;
  };

  useLayoutEffect(() => {
    const log = element.current;
    if (!log) return;
    const held = anchor.current;
    if (held?.node.isConnected && !bottom.current) log.scrollTop += held.node.offsetTop - held.top;
    const quiet = setTimeout(() => {
      log.ariaLive = null;
    }, QUIET_MS);
    if (newest?.state === 'sending') bottom.current = true;
    if (bottom.current) log.scrollTop = log.scrollHeight;
    note(log);
    // Older messages that have just come stand above the window, which nobody has scrolled since.
    if (!bottom.current) onScroll();
    return () => clearTimeout(quiet);
  });

  useEffect(() => {
    const log = element.current;
    if (!log) return;
    // A keyboard that opens, a window that is resized: who reads the newest goes on reading it.
    const observer = new ResizeObserver(() => {
      if (bottom.current) log.scrollTop = log.scrollHeight;
    });
    observer.observe(log);
    return () => observer.disconnect();
  }, []);

  return (
    <div class="scene">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by keyboard */}
      <div class="log" ref={element} role="log" aria-label={t.chat} tabIndex={0} onScroll={onScroll}>
        {talk.loading.value === 'loading' && !said.length && <Skeleton label={t.loading} />}
        {talk.loading.value === 'failed' && (
          <div class="blank">
            <Icon path={ALERT} />
            <p>{t.notLoaded}</p>
            <button type="button" onClick={() => talk.sync()}>
              {t.retry}
            </button>
          </div>
        )}
        <ol>{rows.map(draw)}</ol>
        {talk.typing.value && (
          <div class="row other first last">
            <Avatar ui={ui} />
            <p class="bubble dots">
              <span class="hidden">{t.typing}</span>
              <i />
              <i />
              <i />
            </p>
          </div>
        )}
      </div>
      {core.waiting.value && (
        <p class="notice" role="status">
          {t[core.waiting.value]}
        </p>
      )}
      {byBot && (
        <button type="button" class="chip" onClick={askForPerson}>
          {t.person}
        </button>
      )}
      {away.value && (
        <button type="button" class="newest" aria-label={t.newest} onClick={toNewest}>
          <Icon path={PATHS.down} />
        </button>
      )}
    </div>
  );
}

function Skeleton({ label }: { label: string }) {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">{label}</span>
      <i />
      <i />
      <i />
    </div>
  );
}
