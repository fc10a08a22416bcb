import type { Conversation } from '@parlor/shared';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { Text } from '../ui/text.tsx';
import { visitorName } from './conversation-list.tsx';
import { Line } from './line.tsx';
import type { Item, Outgoing, Thread } from './thread.ts';
import styles from './timeline.module.css';

const Waiting = ({ one, thread, onEdit }: { one: Outgoing; thread: Thread; onEdit(one: Outgoing): void }) => {
  const t = words.value.inbox;
  const edit = () => {
    const discarded = thread.discard(one.key);
    if (discarded) onEdit(discarded);
  };
  return (
    <li
      class={`${styles.line} ${one.isNote ? styles.note : styles.ours} ${styles.first} ${styles[one.state]}`}
    >
      <p class={styles.bubble} dir="auto">
        <Text text={one.body} />
      </p>
      <p class={styles.state} role={one.state === 'failed' ? 'alert' : 'status'}>
        {one.state === 'sending' ? (
          t.sending
        ) : (
          <>
            {t.notSent}{' '}
            <button type="button" onClick={() => thread.retry(one.key)}>
              {words.value.common.retry}
            </button>{' '}
            <button type="button" onClick={() => edit()}>
              {t.discard}
            </button>
          </>
        )}
      </p>
    </li>
  );
};

/** The first of what the visitor has said since the last answer. */
const firstUnanswered = (items: readonly Item[]): string | undefined => {
  const isSaid = (item: Item) => item.kind === 'message';
  const answered = items.findLastIndex((item) => item.kind === 'message' && item.is_support_sender);
  return items.slice(answered + 1).find(isSaid)?.uuid;
};

/** Whoever has scrolled up further than this reads, and is left where they are (pixels). */
const NEAR = 80;

/** What is said in a conversation, the newest at the bottom. */
export const Timeline = ({
  thread,
  conversation,
  onEdit,
}: {
  thread: Thread;
  conversation: Conversation;
  /** Gives the text of what could not be sent back to the composer. */
  onEdit(one: Outgoing): void;
}) => {
  const t = words.value.inbox;
  const log = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const height = useRef(0);
  const [isAway, setAway] = useState(false);
  const visitor = visitorName(conversation);
  const items = thread.items.value;
  const outgoing = thread.shownOutgoing.value;
  // As it was when it was opened: to be read is no reason to move.
  const firstNew = useRef<string>(undefined);
  const isUnread = useRef(conversation.is_unread);
  if (isUnread.current && thread.state.value === 'ready') firstNew.current ??= firstUnanswered(items) ?? '';
  const last = items.at(-1)?.uuid;
  const first = items[0]?.uuid;

  // What is read further up moves what is looked at down: it stays where it is on the screen.
  useLayoutEffect(() => {
    const { current } = log;
    if (current && !isAtEnd.current) current.scrollTop += current.scrollHeight - height.current;
  }, [first]);
  useLayoutEffect(() => {
    const { current } = log;
    // To ask how high something is has the browser lay out the page.
    if (!current || (last === undefined && outgoing.length === 0)) return;
    if (isAtEnd.current) {
      current.scrollTop = current.scrollHeight;
      void thread.trim();
    }
    height.current = current.scrollHeight;
  }, [first, last, outgoing.length, thread.isTyping.value]);

  const onScroll = () => {
    const { current } = log;
    if (!current) return;
    isAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < NEAR;
    setAway(!isAtEnd.current);
    height.current = current.scrollHeight;
    if (current.scrollTop < NEAR * 2) void thread.readOlder();
  };
  const toNewest = () => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  };

  return (
    <div class={styles.scene}>
      <div
        class={styles.log}
        ref={log}
        role="log"
        aria-label={visitor}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by keyboard
        tabIndex={0}
        onScroll={onScroll}
      >
        {thread.state.value === 'failed' && (
          <div class={styles.blank}>
            <p>{words.value.errors.page}</p>
            <Button onClick={() => thread.read()}>{words.value.common.retry}</Button>
          </div>
        )}
        {thread.hasOlder.value && (
          <div class={styles.blank}>
            <Button kind="quiet" onClick={() => thread.readOlder()}>
              {t.older}
            </Button>
          </div>
        )}
        <ol>
          {items.map((item, at) => (
            <Line
              key={item.uuid}
              item={item}
              before={items[at - 1]}
              visitor={visitor}
              isFirstNew={item.uuid === firstNew.current}
            />
          ))}
          {outgoing.map((one) => (
            <Waiting key={one.key} one={one} thread={thread} onEdit={onEdit} />
          ))}
        </ol>
        {thread.isTyping.value && (
          <p class={styles.typing} role="status">
            {t.typing}
          </p>
        )}
      </div>
      {isAway && (
        <button type="button" class={styles.newest} onClick={toNewest}>
          {t.newest}
        </button>
      )}
    </div>
  );
};
