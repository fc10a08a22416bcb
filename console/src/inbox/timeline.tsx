import type { Conversation } from '@parlor/shared';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { day, moment, timeOfDay, words } from '../locale/locale.ts';
import { me } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Text } from '../ui/text.tsx';
import { visitorName } from './conversation-list.tsx';
import type { Outgoing, Said, Thread } from './thread.ts';
import styles from './timeline.module.css';

/** Messages of one side within this time stand together (milliseconds). */
const TOGETHER_MS = 5 * 60_000;

const senderOf = ({ is_support_sender, is_bot, author, nickname }: Said): string =>
  is_support_sender ? (is_bot ? 'bot' : `person ${author?.uuid ?? nickname}`) : 'visitor';

const dayOf = (iso: string): string => new Date(iso).toDateString();

const Line = ({
  said,
  before,
  conversation,
}: {
  said: Said;
  before: Said | undefined;
  conversation: Conversation;
}) => {
  const t = words.value.inbox;
  const isNewDay = !before || dayOf(before.sent_at) !== dayOf(said.sent_at);
  const isFirst =
    isNewDay ||
    senderOf(before) !== senderOf(said) ||
    Date.parse(said.sent_at) - Date.parse(before.sent_at) > TOGETHER_MS;
  const { is_support_sender: isOurs, is_bot, author, nickname } = said;
  const name = isOurs
    ? is_bot
      ? t.bot
      : author?.uuid === me.value?.uuid && author
        ? t.you
        : author?.name || nickname || t.support
    : visitorName(conversation);
  return (
    <>
      {isNewDay && (
        <li class={styles.day}>
          <span>{day(said.sent_at)}</span>
        </li>
      )}
      <li
        class={`${styles.line} ${isOurs ? styles.ours : ''} ${is_bot ? styles.bot : ''} ${isFirst ? styles.first : ''}`}
      >
        {isFirst && (
          <p class={styles.who}>
            <b dir="auto">{name}</b>{' '}
            <time dateTime={said.sent_at} title={moment(said.sent_at)}>
              {timeOfDay(said.sent_at)}
            </time>
          </p>
        )}
        <p class={styles.bubble} dir="auto">
          <Text text={said.body} />
        </p>
      </li>
    </>
  );
};

const Waiting = ({ one, thread, onEdit }: { one: Outgoing; thread: Thread; onEdit(body: string): void }) => {
  const t = words.value.inbox;
  return (
    <li class={`${styles.line} ${styles.ours} ${styles.first} ${styles[one.state]}`}>
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
            <button type="button" onClick={() => onEdit(thread.discard(one.key))}>
              {t.discard}
            </button>
          </>
        )}
      </p>
    </li>
  );
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
  onEdit(body: string): void;
}) => {
  const t = words.value.inbox;
  const log = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const height = useRef(0);
  const [isAway, setAway] = useState(false);
  const messages = thread.messages.value;
  const outgoing = thread.outgoing.value;
  const last = messages.at(-1)?.uuid;
  const first = messages[0]?.uuid;

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
          {messages.map((said, at) => (
            <Line key={said.uuid} said={said} before={messages[at - 1]} conversation={conversation} />
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
