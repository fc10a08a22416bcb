import type { Conversation } from '@parlor/shared';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { connection } from '../api/live.ts';
import { words } from '../locale/locale.ts';
import { offer } from '../shell/commands.ts';
import { NotFound } from '../shell/not-found.tsx';
import { Icon } from '../ui/icon.tsx';
import type { OpenMenu } from './actions.tsx';
import { setUnread, toggleDone } from './acts.ts';
import { BulkBar } from './bulk-bar.tsx';
import { ConversationPane } from './conversation.tsx';
import { ConversationList } from './conversation-list.tsx';
import styles from './inbox.module.css';
import { type Act, actOf, commandsOf, KeysHelp, REPEATED } from './keys.tsx';
import { conversationOf } from './known.ts';
import { flip, isSelecting, selectNone } from './selection.ts';
import { list, show } from './store.ts';
import { Unsent } from './unsent.tsx';
import { viewTitle } from './view-title.ts';
import { type View, viewOf } from './views.ts';

const Connection = () => {
  const t = words.value.inbox;
  return (
    <p class={styles.connection} role="status">
      {connection.value === 'offline' && <span>{t.offline}</span>}
    </p>
  );
};

/** The conversation that the address names: whoever types quickly is ahead of what is drawn. */
const uuidInAddress = (): string => /^\/console\/inbox\/[^/]+\/([^/]+)/.exec(location.pathname)?.[1] ?? '';

const Panes = ({ view, uuid }: { view: View; uuid: string | undefined }) => {
  const t = words.value.inbox;
  const { route, query } = useLocation();
  const menu = useSignal<OpenMenu>(undefined);
  const isNote = useSignal(false);
  const [showsKeys, setShowsKeys] = useState(false);
  /** Whether it was asked to write in the conversation that is about to be drawn. */
  const isToWrite = useRef(false);
  const title = viewTitle(view.name);
  // What is open is what the page is about.
  const Title = uuid === undefined ? 'h1' : 'h2';

  useEffect(() => {
    selectNone();
    void show(view);
  }, [view.name]);
  useEffect(() => {
    document.title = `${title} · Parlor`;
  }, [title]);
  useEffect(() => {
    menu.value = undefined;
    if (!isToWrite.current) isNote.value = false;
    // After the shell, which puts the focus on the title of a page that has changed.
    const writing = requestAnimationFrame(() => {
      if (isToWrite.current) document.getElementById('answer')?.focus();
      isToWrite.current = false;
    });
    return () => cancelAnimationFrame(writing);
  }, [view.name, uuid]);
  // Before the page is painted: whoever sees rows can use the keys.
  useLayoutEffect(() => {
    const open = () => conversationOf(uuidInAddress());
    const places = () => {
      const all = list.value;
      const here = uuidInAddress();
      return { all, at: all.findIndex((other) => other.uuid === here) };
    };
    const go = (to: Conversation | undefined) => {
      if (to) route(`/console/inbox/${encodeURIComponent(view.name)}/${to.uuid}`);
    };
    const goBy = (step: number) => {
      const { all, at } = places();
      go(at === -1 ? all[0] : all[at + step]);
    };
    /** The next one opens where this one leaves the view. */
    const finish = (one: Conversation) => {
      const { all, at } = places();
      void toggleDone(one);
      if (one.status !== 'done' && view.name !== 'done') go(all[at + 1] ?? all[at - 1]);
    };
    const write = (asNote: boolean) => {
      isNote.value = asNote;
      if (uuid === uuidInAddress()) document.getElementById('answer')?.focus();
      else isToWrite.current = true;
    };
    const run = (act: Act) => {
      const one = open();
      if (act === 'next') goBy(1);
      else if (act === 'previous') goBy(-1);
      else if (act === 'help') setShowsKeys(true);
      else if (!one) return;
      else if (act === 'reply' || act === 'note') write(act === 'note');
      else if (act === 'done') finish(one);
      else if (act === 'unread') void setUnread(one.uuid, true);
      else if (act === 'select') flip(one.uuid);
      else menu.value = act;
    };
    const onKey = (event: KeyboardEvent) => {
      const act = actOf(event);
      if (!act) return;
      event.preventDefault();
      // What follows is text, and not for the keys.
      if (!isToWrite.current && (!event.repeat || REPEATED.has(act))) run(act);
    };
    document.addEventListener('keydown', onKey);
    const withdraw = offer(commandsOf(uuid !== undefined, run));
    return () => {
      document.removeEventListener('keydown', onKey);
      withdraw();
    };
  }, [view.name, uuid]);

  return (
    <div class={`${styles.inbox} ${uuid ? styles.opened : ''}`}>
      <section class={styles.side} aria-label={title}>
        <header>
          <Title tabIndex={-1} dir="auto">
            {title}
          </Title>
          {!isSelecting.value && (
            <button
              type="button"
              class={styles.select}
              aria-label={t.select}
              title={t.select}
              onClick={() => {
                isSelecting.value = true;
              }}
            >
              <Icon name="select" />
            </button>
          )}
        </header>
        {isSelecting.value && <BulkBar />}
        <Connection />
        <Unsent view={view} opened={uuid} />
        <ConversationList key={view.name} view={view} chosen={uuid} />
      </section>
      {uuid ? (
        <ConversationPane
          key={uuid}
          uuid={uuid}
          entry={query.entry}
          view={view}
          menu={menu}
          isNote={isNote}
        />
      ) : (
        <div class={styles.none}>
          <p>{t.noneOpen}</p>
          <p>{t.noneOpenHint}</p>
        </div>
      )}
      {showsKeys && <KeysHelp onClose={() => setShowsKeys(false)} />}
    </div>
  );
};

/** Where visitors are answered. */
export const Inbox = () => {
  const { params } = useRoute();
  const view = viewOf(params.view ?? 'all');
  return view ? <Panes view={view} uuid={params.uuid} /> : <NotFound />;
};
