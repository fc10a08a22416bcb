import type { TimelineEvent } from '@parlor/shared';
import { moment, timeOfDay, words } from '../locale/locale.ts';
import { me } from '../session/session.ts';
import { nameOf } from './people.ts';
import styles from './timeline.module.css';

type Change = TimelineEvent['changes'][number];

/** What a change is in words; empty for one that needs none. */
const inWords = (change: Change): string => {
  const t = words.value.inbox.events;
  switch (change.field) {
    case 'status':
      if (change.to === 'snoozed') {
        return change.snoozed_until ? t.snoozed(moment(change.snoozed_until)) : '';
      }
      return change.to === 'done' ? t.done : t.opened;
    case 'assignee':
      return change.to === null ? t.freed : t.assigned(nameOf(change.to) || '…');
    case 'tags':
      return [
        ...change.added.map((tag) => t.tagged(tag)),
        ...change.removed.map((tag) => t.untagged(tag)),
      ].join(', ');
    case 'rating':
      return change.to === null ? '' : t.rated(change.to);
    case 'is_bot_use':
      return change.to ? t.botBegan : t.botEnded;
  }
};

/** Something that was done, by whom and when. */
export const EventLine = ({ event }: { event: TimelineEvent }) => {
  const { by, changes, at } = event;
  const said = changes.map(inWords).filter((text) => text !== '');
  if (said.length === 0) return null;
  const who = by && (by.uuid === me.value?.uuid ? words.value.inbox.you : by.name || nameOf(by.uuid));
  return (
    <li class={styles.event} data-key={event.uuid}>
      <span dir="auto">
        {who ? `${who}: ` : ''}
        {said.join(' · ')}
      </span>{' '}
      <time dateTime={at} title={moment(at)}>
        {timeOfDay(at)}
      </time>
    </li>
  );
};
