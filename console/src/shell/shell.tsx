import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { handOver } from '../inbox/drafts.ts';
import { settleChanges } from '../inbox/in-turn.ts';
import { useLive } from '../inbox/use-live.ts';
import { words } from '../locale/locale.ts';
import { me, signOut } from '../session/session.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { keepFocus } from '../ui/kept-focus.ts';
import { letterOf } from '../ui/keys.ts';
import { isMac } from '../ui/platform.ts';
import { settleRemovals } from '../ui/removal.ts';
import { watchStrayText } from '../ui/stray-text.ts';
import { Toasts, takeBack, UNDO_KEY } from '../ui/toast.tsx';
import { isTyped } from './commands.ts';
import { focusPage } from './focus-page.ts';
import { InboxNavigation } from './inbox-navigation.tsx';
import { GROUPS, type PageName, pagesOf } from './pages.ts';
import { Palette } from './palette.tsx';
import styles from './shell.module.css';

const ICONS = {
  profile: 'M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-6 6.5c.6-3 3-4.5 6-4.5s5.4 1.5 6 4.5',
  security: 'M10 3 4.5 5v4.5c0 3.4 2.3 6 5.5 7.5 3.2-1.5 5.5-4.1 5.5-7.5V5L10 3Z',
  replies: 'M11.5 3 5 11h4.5L8.5 17 15 9h-4.5z',
  team: 'M7.5 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM2.5 16c.5-2.7 2.5-4 5-4s4.5 1.3 5 4M13 9.5a2.2 2.2 0 1 0-1-4.2M14.5 12.2c1.7.4 2.7 1.7 3 3.8',
  leads:
    'M3 5h14v10H3zM7 10.5a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4Zm-2 2.4c.3-1 1.1-1.5 2-1.5s1.7.5 2 1.5M12 8.5h3M12 11.5h3',
  reports: 'M3.5 16.5h13M5.5 13.5v-4M10 13.5v-9M14.5 13.5v-6',
  keywords: 'M5.5 8.5a4.5 4.5 0 0 1 9 0c0 4 1.5 5 1.5 5h-12s1.5-1 1.5-5M8.5 16.5a1.7 1.7 0 0 0 3 0',
  workflows: 'M7.5 3.5h5v4h-5zM3 12.5h5v4H3zM12 12.5h5v4h-5zM10 7.5V10M5.5 12.5V10h9v2.5',
  widgets: 'M3.5 4h13v9h-6l-4 3.5V13h-3zM7 7.5h6M7 10h4',
  webhooks:
    'M8 12l4-4M9 6.5l1.8-1.8a3.2 3.2 0 0 1 4.5 4.5L13.5 11M11 13.5l-1.8 1.8a3.2 3.2 0 0 1-4.5-4.5L6.5 9',
  tokens: 'M12.5 11.5a4 4 0 1 0-3.8-2.8L3.5 14v2.5H6V15h1.5v-1.5H9l1-1.1c.8-.5 1.6-.9 2.5-.9ZM13 7.5h.01',
  account: 'M4 16.5v-13h8v13M12 8h4v8.5M2.5 16.5h15M6.5 6.5h3M6.5 9.5h3M6.5 12.5h3',
  audit: 'M5 3.5h7l3 3v10H5ZM12 3.5v3h3M7.5 10h5M7.5 13h5',
} as const satisfies Record<PageName, string>;

/** To the search, also by a key, and everything that can be done by another. */
const SearchLink = ({ onPalette }: { onPalette(): void }) => {
  const { path } = useLocation();
  return (
    <div class={styles.search}>
      <a href="/console/search" aria-current={path === '/console/search' ? 'page' : undefined}>
        <Icon name="search" />
        <span>{words.value.search.title}</span>
        <i class={styles.key}>/</i>
      </a>
      <button type="button" title={words.value.shell.palette} onClick={onPalette}>
        <span class="hidden">{words.value.shell.palette}</span>
        <i class={styles.key}>{isMac ? '⌘K' : 'Ctrl K'}</i>
      </button>
    </div>
  );
};

const Group = ({ group }: { group: (typeof GROUPS)[number] }) => {
  const { path } = useLocation();
  const t = words.value.shell;
  const [title] = group;
  return (
    <nav aria-label={t[title]}>
      <h2>{t[title]}</h2>
      <ul>
        {pagesOf([group]).map(({ name, address }) => {
          const isHere = path === address || path.startsWith(`${address}/`);
          return (
            <li key={name}>
              <a href={address} aria-current={isHere ? 'page' : undefined}>
                <svg class={styles.icon} viewBox="0 0 20 20" aria-hidden="true">
                  <path d={ICONS[name]} />
                </svg>
                {t[name]}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
};

/** Ends the session; what was begun to be written is the server's to keep, and in this tab no more. @throws ApiError */
const leaveTab = async (): Promise<void> => {
  const forgetDrafts = await handOver();
  await signOut();
  forgetDrafts();
};

const Myself = () => {
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState(false);
  const member = me.value;
  if (!member) return null;
  const leave = () => {
    setBusy(true);
    setFailed(false);
    Promise.all([settleRemovals(), settleChanges()])
      .then(leaveTab)
      .catch(() => {
        setBusy(false);
        setFailed(true);
      });
  };
  return (
    <div class={styles.myself}>
      <Avatar uuid={member.uuid} name={member.name} picture={member.avatar} />
      <div>
        <p class={styles.name}>{member.name}</p>
        <p class={styles.role}>
          {words.value.team.roles[member.role]}
          {member.is_away && ` · ${words.value.shell.away}`}
        </p>
      </div>
      <Button kind="quiet" isBusy={isBusy} onClick={leave}>
        {words.value.shell.signOut}
      </Button>
      {failed && <p role="alert">{words.value.errors.unexpected}</p>}
    </div>
  );
};

/** What stands around every page of whoever is signed in: the navigation, and on a phone the button that shows it. */
export const Shell = ({ children }: { children: ComponentChildren }) => {
  useLive();
  const { path, route } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [hasPalette, setPalette] = useState(false);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    setOpen(false);
    // Whoever hears the page learns that it is another one; on the first one the browser says so itself.
    if (!isFirst.current) focusPage();
    isFirst.current = false;
  }, [path]);
  useLayoutEffect(() => {
    const ends = [keepFocus(), watchStrayText()];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const hasModifier = event.metaKey || event.ctrlKey || event.altKey;
      const isPalette = (isMac ? event.metaKey : event.ctrlKey) && letterOf(event).toLowerCase() === 'k';
      if (isPalette && !document.querySelector('dialog[open]')) setPalette(true);
      else if (hasModifier || isTyped(event)) return;
      else if (event.key === '/') route('/console/search');
      else if (letterOf(event) === UNDO_KEY && !event.repeat) takeBack();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [route]);
  return (
    <div class={styles.shell}>
      <button type="button" class={styles.skip} onClick={() => main.current?.focus()}>
        {words.value.shell.skip}
      </button>
      <header class={styles.bar}>
        <button type="button" aria-expanded={isOpen} aria-controls="side" onClick={() => setOpen(!isOpen)}>
          <svg class={styles.icon} viewBox="0 0 20 20" aria-hidden="true">
            <path d="M3 5.5h14M3 10h14M3 14.5h14" />
          </svg>
          {words.value.shell.menu}
        </button>
        <a href="/console/search" aria-label={words.value.search.title}>
          <Icon name="search" />
        </a>
      </header>
      <aside id="side" class={`${styles.side} ${isOpen ? styles.open : ''}`}>
        <p class={styles.brand}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <rect width="24" height="24" rx="6" />
            <path d="M18 12a6 6 0 0 1-8.8 5.3l-3.2.7.7-3.2A6 6 0 1 1 18 12Z" />
          </svg>
          Parlor
        </p>
        <SearchLink onPalette={() => setPalette(true)} />
        <InboxNavigation />
        {GROUPS.map((group) => (
          <Group key={group[0]} group={group} />
        ))}
        <Myself />
      </aside>
      <Toasts />
      {hasPalette && <Palette onClose={() => setPalette(false)} />}
      <main id="content" ref={main} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
};
