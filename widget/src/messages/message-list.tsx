import { toLines, waitingLines } from '../conversation/timeline.ts';
import { Avatar, greeting } from '../view/bubble.tsx';
import { Icon, PATHS } from '../view/icons.tsx';
import type { Thread, Ui } from '../view/ui.ts';
import { useRows } from './use-rows.tsx';
import { type MessageWindow, useMessageWindow, useScrolling } from './use-scrolling.ts';

const ALERT = 'M12 7.5V13m0 3.5v.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z';

/** The lines of what is drawn: messages, and after the newest one what is still on its way. */
function linesOf(ui: Ui, thread: Thread, { skip, from, end }: MessageWindow) {
  const { conversation, host } = ui;
  const messages = thread.messages.value;
  const skew = conversation.store.get<number>('skew') ?? 0;
  const lines = toLines(messages.slice(from, end), thread.keys, thread.seenUpTo.value, skew);
  if (!skip.value) lines.push(...waitingLines(conversation.items.value));
  // A bot's greeting is a message of the room; then it is not said twice.
  const whole = !from && !thread.older.value && (messages.length > 0 || !thread.loading.value);
  if (host.widget.greeting_message && whole && !messages[0]?.is_support_sender) {
    lines.unshift(greeting(ui));
  }
  return lines;
}

/** The conversation. Long ones are drawn in part: a window of messages that moves as one scrolls. */
export function MessageList({ ui }: { ui: Ui }) {
  const { conversation } = ui;
  const thread = ui.thread.value as Thread;
  const t = ui.texts.value;
  const window = useMessageWindow(thread);
  const lines = linesOf(ui, thread, window);
  const { list, away, onScroll, toNewest } = useScrolling(thread, window, lines.at(-1)?.state === 'sending');
  const rows = useRows(ui, lines);
  const isEmpty = !thread.messages.value.length;
  const heard = thread.messages.value.findLast((message) => message.is_support_sender);
  const byBot = heard?.is_bot && heard.sent_at > thread.botLeft.value;

  const askForPerson = () => {
    thread.wantPerson(t.personAsk);
    // The button goes; whoever used it by keyboard goes on writing.
    list.current?.closest('.panel')?.querySelector('textarea')?.focus();
  };

  return (
    <div class="scene">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by keyboard */}
      <div class="log" ref={list} role="log" aria-label={t.chat} tabIndex={0} onScroll={onScroll}>
        {thread.loading.value === 'loading' && isEmpty && <Skeleton label={t.loading} />}
        {thread.loading.value === 'failed' && (
          <div class="blank">
            <Icon path={ALERT} />
            <p>{t.notLoaded}</p>
            <button type="button" onClick={() => thread.sync()}>
              {t.retry}
            </button>
          </div>
        )}
        <ol>{rows}</ol>
        {thread.typing.value && (
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
      {conversation.waiting.value && (
        <p class="notice" role="status">
          {t[conversation.waiting.value]}
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
