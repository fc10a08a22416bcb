import type { Conversation } from '@parlor/shared';
import { useRef } from 'preact/hooks';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { visitorName } from './conversation-list.tsx';
import { Line } from './line.tsx';
import type { Outgoing } from './outbox.ts';
import type { Item } from './stretch.ts';
import type { Thread } from './thread.ts';
import styles from './timeline.module.css';
import { useLogScroll } from './use-log-scroll.ts';
import { Waiting } from './waiting.tsx';

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
  outgoing,
  entry,
  onEdit,
  onNewest,
}: {
  thread: Thread;
  conversation: Conversation;
  /** What is on its way, or could not be sent. */
  outgoing: readonly Outgoing[];
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
  const { log, isAway, onScroll, onKeyDown, toNewest } = useLogScroll(
    thread,
    outgoing.length,
    entry,
    onNewest,
  );

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
          {isLive && outgoing.map((one) => <Waiting key={one.key} one={one} onEdit={onEdit} />)}
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
