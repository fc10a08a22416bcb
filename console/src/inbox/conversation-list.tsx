import type { Conversation } from '@parlor/shared';
import { useEffect, useRef } from 'preact/hooks';
import { since, words } from '../locale/locale.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { now } from './clock.ts';
import styles from './conversation-list.module.css';
import { nameOf } from './people.ts';
import { flip, isSelected, isSelecting } from './selection.ts';
import { list, show, showMore, shown } from './store.ts';
import { VIEWS, type View, type ViewName } from './views.ts';

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

/** A conversation in the list. */
export const ConversationRow = ({
  one,
  view,
  isChosen,
}: {
  one: Conversation;
  view: View;
  isChosen: boolean;
}) => {
  const row = useRef<HTMLAnchorElement>(null);
  const t = words.value.inbox;
  const isWaiting = one.status === 'open' && one.waiting_on === 'us' && one.waiting_since;
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    <li class={isSelecting.value ? styles.selectable : undefined}>
      {isSelecting.value && (
        <label class={styles.check}>
          <span class="hidden">{t.selectOne(visitorName(one))}</span>
          <input type="checkbox" checked={isSelected(one.uuid)} onChange={() => flip(one.uuid)} />
        </label>
      )}
      <a
        ref={row}
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
          <span class={styles.preview} dir="auto">
            {preview(one)}
          </span>
          {(one.tags.length > 0 || one.assignee) && (
            <span class={styles.marks}>
              {one.assignee && <span class={styles.assignee}>{nameOf(one.assignee)}</span>}
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

/** The conversations of a view, what waits longest first. */
export const ConversationList = ({ view, chosen }: { view: View; chosen: string | undefined }) => {
  const t = words.value.inbox;
  const { state, next } = shown.value ?? { state: 'loading', next: undefined };
  const items = list.value;
  const onScroll = ({ currentTarget }: { currentTarget: HTMLElement }) => {
    const { scrollTop, scrollHeight, clientHeight } = currentTarget;
    if (scrollHeight - scrollTop - clientHeight < NEAR) void showMore();
  };
  const isKnown = VIEWS.includes(view.name as ViewName);
  return (
    <div class={styles.list} onScroll={onScroll} tabIndex={items.length === 0 ? undefined : 0}>
      {items.length > 0 && (
        <ul>
          {items.map((one) => (
            <ConversationRow key={one.uuid} one={one} view={view} isChosen={one.uuid === chosen} />
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
          <p>{isKnown ? t.emptyHints[view.name as ViewName] : t.emptyHints.other}</p>
        </div>
      )}
    </div>
  );
};
