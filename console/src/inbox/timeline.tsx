import type { Conversation } from '@parlor/shared';
import { useRef } from 'preact/hooks';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { Text } from '../ui/text.tsx';
import { visitorName } from './conversation-list.tsx';
import { Line } from './line.tsx';
import type { Item } from './stretch.ts';
import type { Outgoing, Thread } from './thread.ts';
import styles from './timeline.module.css';
import { useLogScroll } from './use-log-scroll.ts';

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

/** From which entry on all is new, as it was when its end came to be seen: to be read is no reason to move. */
const useFirstNew = ({ stretch }: Thread, { is_unread }: Conversation): string | undefined => {
  const isLive = stretch.isLive.value;
  const was = useRef({ isLive, isUnread: is_unread, first: '' });
  if (isLive !== was.current.isLive) was.current = { isLive, isUnread: is_unread, first: '' };
  const { current } = was;
  if (current.isUnread && isLive && stretch.state.value === 'ready' && current.first === '') {
    current.first = firstUnanswered(stretch.items.value) ?? 'none';
  }
  return current.first;
};

/** What is said in a conversation, the newest at the bottom. */
export const Timeline = ({
  thread,
  conversation,
  entry,
  onEdit,
  onNewest,
}: {
  thread: Thread;
  conversation: Conversation;
  /** The uuid of what is shown; undefined: the newest. */
  entry?: string | undefined;
  /** Gives the text of what could not be sent back to the composer. */
  onEdit(one: Outgoing): void;
  /** Called where somebody goes to the newest. */
  onNewest?(): void;
}) => {
  const t = words.value.inbox;
  const { stretch } = thread;
  const visitor = visitorName(conversation);
  const items = stretch.items.value;
  const isLive = stretch.isLive.value;
  const isReady = stretch.state.value === 'ready';
  const firstNew = useFirstNew(thread, conversation);
  const { log, isAway, onScroll, onKeyDown, toNewest } = useLogScroll(thread, entry, onNewest);

  return (
    <div class={styles.scene}>
      <p class={styles.gone} role="status">
        {stretch.isGone.value && t.entryGone}
      </p>
      <div
        class={styles.log}
        ref={log}
        role="log"
        aria-label={visitor}
        // Whoever reads what was said long ago is not told of each page of it.
        aria-live={isLive ? undefined : 'off'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by keyboard
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        {stretch.state.value === 'failed' && (
          <div class={styles.blank}>
            <p>{words.value.errors.page}</p>
            <Button onClick={() => stretch.readAgain()}>{words.value.common.retry}</Button>
          </div>
        )}
        {stretch.hasOlder.value && (
          <div class={styles.blank}>
            <Button kind="quiet" onClick={() => stretch.readOlder()}>
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
              isFirstNew={item.uuid === firstNew}
              isSought={item.uuid === entry}
            />
          ))}
          {isLive &&
            thread.shownOutgoing.value.map((one) => (
              <Waiting key={one.key} one={one} thread={thread} onEdit={onEdit} />
            ))}
        </ol>
        {isReady && !isLive && (
          <div class={styles.blank}>
            <Button kind="quiet" onClick={() => stretch.readNewer()}>
              {t.newer}
            </Button>
          </div>
        )}
        {isLive && thread.isTyping.value && (
          <p class={styles.typing} role="status">
            {t.typing}
          </p>
        )}
      </div>
      {(isAway || (isReady && !isLive)) && (
        <button type="button" class={styles.newest} onClick={toNewest}>
          {t.newest}
        </button>
      )}
    </div>
  );
};
