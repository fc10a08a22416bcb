import { type Signal, signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ApiError } from '../api/client.ts';
import { connection, tell } from '../api/live.ts';
import { moment, prepareFormats, words } from '../locale/locale.ts';
import { Copyable } from '../ui/copyable.tsx';
import { IconButton, IconLink } from '../ui/icon-button.tsx';
import { whenIdle } from '../ui/when-idle.ts';
import { Actions, type OpenMenu } from './actions.tsx';
import { setUnread } from './acts.ts';
import { Composer } from './composer.tsx';
import styles from './conversation.module.css';
import { visitorName } from './conversation-list.tsx';
import { Details } from './details.tsx';
import { keepDraft } from './drafts.ts';
import { conversationOf } from './known.ts';
import { isMarked, unmark } from './marked.ts';
import { type Outgoing, outgoingIn, takeArrived } from './outbox.ts';
import { open, readOne } from './store.ts';
import { Thread } from './thread.ts';
import { threads } from './threads.ts';
import { Timeline } from './timeline.tsx';
import { viewRoom } from './viewers.ts';
import type { View } from './views.ts';
import { Waiting } from './waiting.tsx';

/** The first conversation that is opened is painted before what is known of its visitor is drawn. */
const isOnePainted = signal(false);

/** One conversation: what is said, where one answers, and what is known of the visitor. */
export const ConversationPane = ({
  uuid,
  entry,
  view,
  menu,
  isNote,
}: {
  uuid: string;
  /** The uuid of what is shown of it; undefined: the newest. */
  entry: string | undefined;
  view: View;
  menu: Signal<OpenMenu>;
  /** Whether a note is written, and no answer. */
  isNote: Signal<boolean>;
}) => {
  const t = words.value.inbox;
  const one = conversationOf(uuid);
  const [failed, setFailed] = useState<'gone' | 'offline' | undefined>(undefined);
  const [showsDetails, setShowsDetails] = useState(false);
  const [edited, setEdited] = useState(0);
  const begun = useRef('');
  const { route } = useLocation();
  const thread = useMemo(() => new Thread(uuid, entry), [uuid]);
  const latest = thread.latestOfVisitor.value;
  const isLive = thread.stretch.isLive.value;
  const address = `/console/inbox/${encodeURIComponent(view.name)}`;

  useEffect(() => {
    void thread.stretch.show(entry);
  }, [thread, entry]);
  // While the server is waited for.
  useEffect(
    () =>
      whenIdle(() => {
        prepareFormats();
        isOnePainted.value = true;
      }),
    [],
  );
  useEffect(() => threads.open(thread), [thread]);
  useEffect(() => open(uuid), [uuid]);
  const outgoing = outgoingIn(uuid);
  const items = thread.stretch.items.value;
  // Before it is painted: it would be seen twice.
  useLayoutEffect(() => takeArrived(uuid, items), [uuid, items, outgoing.length]);
  const isKnown = one !== undefined;
  // The channel closes for a frame about a room that is gone, or not in view.
  useEffect(() => (isKnown ? viewRoom(uuid) : undefined), [uuid, connection.value, isKnown]);
  // Once more where it could not be read, when the connection is back, and where it is there no more.
  useEffect(() => {
    if (conversationOf(uuid) && failed === undefined) return;
    readOne(uuid).then(
      () => setFailed(undefined),
      (error: unknown) => setFailed(error instanceof ApiError && error.status === 404 ? 'gone' : 'offline'),
    );
  }, [uuid, connection.value, isKnown]);
  useEffect(() => unmark(uuid), [uuid]);
  const isToStayUnread = isMarked(uuid);
  // Whoever looks at its end has read it, here and on the visitor's side; what was new in it has to be known before.
  useEffect(() => {
    if (one === undefined || !isLive) return;
    const read = () => {
      if (document.visibilityState !== 'visible') return;
      if (!isToStayUnread) void setUnread(uuid, false);
      if (latest !== undefined) tell({ type: 'read', room: uuid, message: latest });
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
    // Said again when the channel is there: before that nobody hears it.
  }, [uuid, latest, isLive, one?.is_unread, isToStayUnread, connection.value]);

  if (!one) {
    const said = { gone: t.gone, offline: words.value.errors.offline };
    return (
      <div class={styles.gone}>
        <div role="status">
          <h1 tabIndex={-1}>{failed ? said[failed] : words.value.common.loading}</h1>
        </div>
        {begun.current !== '' && <Copyable label={t.begunHere} text={begun.current} />}
        <ol>
          {outgoing.map((waiting) => (
            <Waiting key={waiting.key} one={waiting} />
          ))}
        </ol>
      </div>
    );
  }
  // Before what stands in the field; together they are a note where either was to be one.
  const edit = ({ body, isNote: wasNote }: Outgoing) => {
    const begun = (document.getElementById('answer') as HTMLTextAreaElement | null)?.value.trim();
    keepDraft(
      uuid,
      begun ? { body: `${body}\n\n${begun}`, is_note: wasNote || isNote.value } : { body, is_note: wasNote },
    );
    setEdited(edited + 1);
  };
  return (
    <>
      <section class={styles.conversation} aria-label={visitorName(one)}>
        <header class={styles.head}>
          <span class={styles.back}>
            <IconLink label={t.backToList} icon="back" href={address} />
          </span>
          <div class={styles.title}>
            <h1 tabIndex={-1} dir="auto">
              {visitorName(one)}
            </h1>
            {one.status === 'snoozed' && one.snoozed_until && (
              <p>{t.snoozedUntil(moment(one.snoozed_until))}</p>
            )}
          </div>
          <span class={styles.actions}>
            <Actions one={one} open={menu} />
          </span>
          <span class={styles.more}>
            <IconButton
              label={t.showDetails}
              icon="details"
              aria-expanded={showsDetails}
              onClick={() => setShowsDetails(!showsDetails)}
            />
          </span>
        </header>
        <Timeline
          thread={thread}
          conversation={one}
          outgoing={outgoing}
          entry={entry}
          onEdit={edit}
          // What is read again from here on is the end.
          onNewest={() => entry !== undefined && route(`${address}/${uuid}`, true)}
        />
        <Composer
          key={`${uuid} ${edited}`}
          thread={thread}
          conversation={one}
          isNote={isNote}
          begun={begun}
        />
      </section>
      <div class={`${styles.about} ${showsDetails ? styles.shown : ''}`}>
        {isOnePainted.value && <Details one={one} />}
      </div>
    </>
  );
};
