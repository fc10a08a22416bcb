import type { Author, Conversation, TimelineEvent } from '@parlor/shared';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { day, moment, timeOfDay, words } from '../locale/locale.ts';
import { me } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Text } from '../ui/text.tsx';
import { visitorName } from './conversation-list.tsx';
import { EventLine } from './event-line.tsx';
import type { Item, Outgoing, Thread } from './thread.ts';
import styles from './timeline.module.css';

/** What one side says within this time stands together (milliseconds). */
const TOGETHER_MS = 5 * 60_000;

const senderOf = (item: Item): string => {
  if (item.kind === 'event') return 'event';
  if (item.kind === 'note') return `note ${item.author?.uuid}`;
  const { is_support_sender, is_bot, author, nickname } = item;
  return is_support_sender ? (is_bot ? 'bot' : `person ${author?.uuid ?? nickname}`) : 'visitor';
};

const nameOfAuthor = (author: Author | null | undefined, otherwise: string): string => {
  const t = words.value.inbox;
  if (!author) return otherwise || t.support;
  return author.uuid === me.value?.uuid ? t.you : author.name || otherwise || t.support;
};

const nameIn = (item: Exclude<Item, TimelineEvent>, conversation: Conversation): string => {
  if (item.kind === 'note') return nameOfAuthor(item.author, '');
  if (!item.is_support_sender) return visitorName(conversation);
  return item.is_bot ? words.value.inbox.bot : nameOfAuthor(item.author, item.nickname);
};

const dayOf = (iso: string): string => new Date(iso).toDateString();

const Line = ({
  item,
  before,
  conversation,
  isFirstNew,
}: {
  item: Item;
  before: Item | undefined;
  conversation: Conversation;
  isFirstNew: boolean;
}) => {
  const isNewDay = !before || dayOf(before.at) !== dayOf(item.at);
  return (
    <>
      {isNewDay && (
        <li class={styles.day}>
          <span>{day(item.at)}</span>
        </li>
      )}
      {isFirstNew && (
        <li class={`${styles.day} ${styles.new}`}>
          <span>{words.value.inbox.newHere}</span>
        </li>
      )}
      {item.kind === 'event' ? (
        <EventLine event={item} />
      ) : (
        <Words item={item} before={isNewDay || isFirstNew ? undefined : before} conversation={conversation} />
      )}
    </>
  );
};

const Words = ({
  item,
  before,
  conversation,
}: {
  item: Exclude<Item, TimelineEvent>;
  before: Item | undefined;
  conversation: Conversation;
}) => {
  const isFirst =
    !before ||
    senderOf(before) !== senderOf(item) ||
    Date.parse(item.at) - Date.parse(before.at) > TOGETHER_MS;
  const kind =
    item.kind === 'note'
      ? styles.note
      : `${item.is_support_sender ? styles.ours : ''} ${item.is_bot ? styles.bot : ''}`;
  return (
    <li class={`${styles.line} ${kind} ${isFirst ? styles.first : ''}`}>
      {isFirst && (
        <p class={styles.who}>
          {item.kind === 'note' && <span class={styles.kind}>{words.value.inbox.note} · </span>}
          <b dir="auto">{nameIn(item, conversation)}</b>{' '}
          <time dateTime={item.at} title={moment(item.at)}>
            {timeOfDay(item.at)}
          </time>
        </p>
      )}
      <p class={styles.bubble} dir="auto">
        <Text text={item.body} />
      </p>
    </li>
  );
};

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
    if (!current) return;
    if (isAtEnd.current) current.scrollTop = current.scrollHeight;
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
        aria-label={visitorName(conversation)}
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
              conversation={conversation}
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
