import type { Conversation } from '@parlor/shared';
import { INBOX_VIEWS, type InboxViewName } from '@parlor/shared/inbox-views';
import type { ComponentProps } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { since, words } from '../locale/locale.ts';
import { Avatar, Picture } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { useRowWindow } from '../ui/use-row-window.ts';
import { now } from './clock.ts';
import styles from './conversation-list.module.css';
import { unsent } from './outbox.ts';
import { nameOf, pictureOf } from './people.ts';
import { flip, isSelected, isSelecting } from './selection.ts';
import { list, show, showMore, shown } from './store.ts';
import type { View } from './views.ts';

/** What whoever writes is called. */
export const visitorName = ({ visitor, name }: Conversation): string =>
  visitor.name || visitor.email || visitor.phone_number || name || words.value.inbox.visitor;

/** What was said last, and who said it where that was no visitor. */
export const preview = ({ last_message }: Conversation): string => {
  if (!last_message) return '';
  const { is_support_sender, is_bot, author, body } = last_message;
  if (!is_support_sender) return body;
  const t = words.value.inbox;
  return `${is_bot ? t.bot : author?.name || t.support}: ${body}`;
};

interface RowProps {
  one: Conversation;
  view: View;
  isChosen: boolean;
}

/** A conversation in the list. */
export const ConversationRow = ({
  one,
  view,
  isChosen,
  ...item
}: RowProps & Omit<ComponentProps<'li'>, 'class' | 'children'>) => {
  const t = words.value.inbox;
  const notSent = unsent.value.find(({ room }) => room === one.uuid);
  const isWaiting = one.status === 'open' && one.waiting_on === 'us' && one.waiting_since;
  return (
    <li class={isSelecting.value ? styles.selectable : undefined} {...item}>
      {isSelecting.value && (
        <label class={styles.check}>
          <span class="hidden">{t.selectOne(visitorName(one))}</span>
          <input type="checkbox" checked={isSelected(one.uuid)} onChange={() => flip(one.uuid)} />
        </label>
      )}
      <a
        class={`${styles.row} ${one.is_unread ? styles.unread : ''}`}
        href={`/console/inbox/${encodeURIComponent(view.name)}/${one.uuid}`}
        aria-current={isChosen ? 'true' : undefined}
      >
        <span class={styles.face}>
          <Avatar uuid={one.uuid} name={visitorName(one)} />
          {one.visitor.is_online && <i class={styles.online} />}
        </span>
        <span class={styles.words}>
          <span class={styles.top}>
            <b dir="auto">{visitorName(one)}</b>
            {isWaiting ? (
              <time class={styles.waiting} dateTime={isWaiting}>
                <span class="hidden">{t.waitsSince(since(isWaiting, now.value))}</span>
                <span aria-hidden="true">{since(isWaiting, now.value)}</span>
              </time>
            ) : (
              <time dateTime={one.updated_at}>{since(one.updated_at, now.value)}</time>
            )}
          </span>
          {notSent ? (
            <span class={`${styles.preview} ${styles.unsent}`}>
              {t.notSent} <bdi>{notSent.body}</bdi>
            </span>
          ) : (
            <span class={styles.preview} dir="auto">
              {preview(one)}
            </span>
          )}
          {(one.tags.length > 0 || one.assignee) && (
            <span class={styles.marks}>
              {one.assignee && (
                <span class={styles.assignee}>
                  <Picture address={pictureOf(one.assignee)} size={14} /> {nameOf(one.assignee)}
                </span>
              )}
              {one.tags.slice(0, 3).map((tag) => (
                <span class={styles.tag} key={tag} dir="auto">
                  {tag}
                </span>
              ))}
            </span>
          )}
        </span>
        {one.is_unread && <span class="hidden">{t.unread}</span>}
      </a>
    </li>
  );
};

/** How near to its end the list reads on (pixels). */
const NEAR = 400;

/** The height of most rows (pixels). */
const ROW = 68;

const uuidOf = ({ uuid }: Conversation): string => uuid;

/** The conversations of a view, what waits longest first. */
export const ConversationList = ({ view, chosen }: { view: View; chosen: string | undefined }) => {
  const t = words.value.inbox;
  const { state, next } = shown.value ?? { state: 'loading', next: undefined };
  const items = list.value;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLUListElement>(null);
  const windowed = useRowWindow(items, {
    keyOf: uuidOf,
    height: ROW,
    list: rows,
    scroller,
    back: { list: 'inbox', of: view.name, isThere: shown.value?.view.name === view.name },
  });
  const isBack = useRef(windowed.isBack);
  // The first rows are drawn before the rest: where they end is not the end.
  const isDrawn = !windowed.isWhole || windowed.rows.length === items.length;
  const readOn = () => {
    if (next === undefined || !isDrawn) return;
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {};
    // What is not shown, as beside a conversation on a phone, is not scrolled either.
    if (clientHeight > 0 && scrollHeight - scrollTop - clientHeight < NEAR) void showMore();
  };
  /** A browser goes to the end as it was when the key was pressed: rows on the way there may be higher than was thought. */
  const onKeyDown = (event: KeyboardEvent) => {
    const hasModifier = event.metaKey || event.ctrlKey || event.altKey || event.shiftKey;
    if (windowed.isWhole || hasModifier || (event.key !== 'Home' && event.key !== 'End')) return;
    event.preventDefault();
    windowed.show(event.key === 'Home' ? 0 : items.length - 1);
  };
  // The end may be near without a step towards it: the list has become shorter, or was hidden behind a conversation.
  useEffect(readOn, [items.length, state, next, chosen, isDrawn]);
  const at = chosen === undefined ? -1 : items.findIndex(({ uuid }) => uuid === chosen);
  // What is open may be known before the list, and stands alone in it until then.
  const isRead = state !== 'loading' || next !== undefined;
  const isListed = at !== -1 && isRead;
  useEffect(() => {
    // Whoever comes back sees what was seen, also where that was not what is open.
    if (isListed && !isBack.current) windowed.show(at);
    isBack.current = false;
  }, [chosen, isListed]);
  const isKnown = INBOX_VIEWS.includes(view.name as InboxViewName);
  const size = next === undefined ? items.length : -1;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those by which a region is scrolled
    <div
      class={`${styles.list} ${windowed.isWhole ? '' : styles.windowed}`}
      ref={scroller}
      onScroll={readOn}
      onKeyDown={onKeyDown}
      tabIndex={items.length === 0 ? undefined : 0}
    >
      {items.length > 0 && (
        <ul ref={rows} style={{ paddingBlockEnd: windowed.after > 0 ? `${windowed.after}px` : '' }}>
          {windowed.rows.map(({ item, index, before }) => (
            <ConversationRow
              key={item.uuid}
              one={item}
              view={view}
              isChosen={item.uuid === chosen}
              ref={windowed.measure}
              data-index={index}
              data-key={item.uuid}
              aria-setsize={windowed.isWhole ? undefined : size}
              aria-posinset={windowed.isWhole ? undefined : index + 1}
              style={{ marginBlockStart: before > 0 ? `${before}px` : '' }}
            />
          ))}
        </ul>
      )}
      {state === 'loading' && items.length === 0 && (
        <div class={styles.skeleton} role="status">
          <span class="hidden">{words.value.common.loading}</span>
          {[0, 1, 2, 3, 4].map((n) => (
            <i key={n} />
          ))}
        </div>
      )}
      {state === 'failed' && (
        <div class={styles.blank}>
          <p>{words.value.errors.page}</p>
          <Button onClick={() => show(view)}>{words.value.common.retry}</Button>
        </div>
      )}
      {state === 'ready' && items.length === 0 && !next && (
        <div class={styles.blank}>
          <p class={styles.title}>{t.empty}</p>
          <p>{isKnown ? t.emptyHints[view.name as InboxViewName] : t.emptyHints.other}</p>
        </div>
      )}
    </div>
  );
};
