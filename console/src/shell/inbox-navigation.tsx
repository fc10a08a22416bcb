import { INBOX_VIEWS, type InboxViewName } from '@parlor/shared/inbox-views';
import { MAX_COUNT } from '@parlor/shared/limits';
import { useLocation } from 'preact-iso';
import { counts } from '../inbox/counts.ts';
import { widgets } from '../inbox/people.ts';
import { viewTitle } from '../inbox/view-title.ts';
import { count, words } from '../locale/locale.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import styles from './shell.module.css';

const ICONS: Record<InboxViewName, IconName> = {
  mine: 'assign',
  unassigned: 'inbox',
  waiting: 'waiting',
  all: 'all',
  snoozed: 'snooze',
  done: 'done',
};

const countText = (number: number | undefined): string =>
  !number ? '' : number >= MAX_COUNT ? `${count(MAX_COUNT - 1)}+` : count(number);

const ViewLink = ({ view, icon, count }: { view: string; icon: IconName; count: number | undefined }) => {
  const { path } = useLocation();
  const address = `/console/inbox/${encodeURIComponent(view)}`;
  const isHere = path === address || path.startsWith(`${address}/`);
  return (
    <li>
      <a href={address} aria-current={isHere ? 'page' : undefined}>
        <Icon name={icon} />
        <span class={styles.view} dir="auto">
          {viewTitle(view)}
        </span>
        <span class={styles.count}>{countText(count)}</span>
      </a>
    </li>
  );
};

/** The views of the inbox, each with how many conversations it has. */
export const InboxNavigation = () => {
  const t = words.value.inbox;
  const counted = counts.value;
  const numbers: Partial<Record<InboxViewName, number | undefined>> = {
    mine: counted?.mine,
    unassigned: counted?.unassigned,
    waiting: counted?.waiting,
    all: counted?.open,
    snoozed: counted?.snoozed,
  };
  const tags = Object.entries(counted?.tags ?? {}).filter(([, count]) => count > 0);
  return (
    <nav aria-label={t.title}>
      <h2>{t.title}</h2>
      <ul>
        {INBOX_VIEWS.map((view) => (
          <ViewLink key={view} view={view} icon={ICONS[view]} count={numbers[view]} />
        ))}
      </ul>
      {widgets.value.length > 1 && (
        <>
          <h2>{t.widgets}</h2>
          <ul>
            {widgets.value.map(({ uuid }) => (
              <ViewLink key={uuid} view={`widget:${uuid}`} icon="widget" count={counted?.widgets[uuid]} />
            ))}
          </ul>
        </>
      )}
      {tags.length > 0 && (
        <>
          <h2>{t.tags}</h2>
          <ul>
            {tags.map(([tag, count]) => (
              <ViewLink key={tag} view={`tag:${tag}`} icon="tag" count={count} />
            ))}
          </ul>
        </>
      )}
    </nav>
  );
};
