import type { MemberReference, TimelineEvent } from '@parlor/shared';
import { Component } from 'preact';
import { day, moment, timeOfDay, words } from '../locale/locale.ts';
import { me } from '../session/session.ts';
import { Picture } from '../ui/avatar.tsx';
import { Text } from '../ui/text.tsx';
import { EventLine } from './event-line.tsx';
import type { Item } from './stretch.ts';
import styles from './timeline.module.css';

/** What one side says within this time stands together (milliseconds). */
const TOGETHER_MS = 5 * 60_000;

const senderOf = (item: Item): string => {
  if (item.kind === 'event') return 'event';
  if (item.kind === 'note') return `note ${item.author?.uuid}`;
  const { is_support_sender, is_bot, author, nickname } = item;
  return is_support_sender ? (is_bot ? 'bot' : `person ${author?.uuid ?? nickname}`) : 'visitor';
};

const nameOfAuthor = (author: MemberReference | null | undefined, otherwise: string): string => {
  const t = words.value.inbox;
  if (!author) return otherwise || t.support;
  return author.uuid === me.value?.uuid ? t.you : author.name || otherwise || t.support;
};

const nameIn = (item: Exclude<Item, TimelineEvent>, visitor: string): string => {
  if (item.kind === 'note') return nameOfAuthor(item.author, '');
  if (!item.is_support_sender) return visitor;
  return item.is_bot ? words.value.inbox.bot : nameOfAuthor(item.author, item.nickname);
};

/** The picture of whoever wrote it; one's own may be another one since that was read. */
const pictureIn = ({ author }: Exclude<Item, TimelineEvent>): string | null | undefined =>
  author?.uuid === me.value?.uuid ? me.value?.avatar : author?.avatar;

const dayOf = (iso: string): string => new Date(iso).toDateString();

interface LineProps {
  item: Item;
  before: Item | undefined;
  /** What whoever writes is called. */
  visitor: string;
  isFirstNew: boolean;
  /** Whether the address leads to it. */
  isSought: boolean;
}

/** Something that was said, noted or done. What has not changed is not drawn again, however much is said below it. */
export class Line extends Component<LineProps> {
  override shouldComponentUpdate(next: LineProps): boolean {
    const { item, before, visitor, isFirstNew, isSought } = this.props;
    return (
      item !== next.item ||
      before !== next.before ||
      visitor !== next.visitor ||
      isFirstNew !== next.isFirstNew ||
      isSought !== next.isSought
    );
  }

  override render() {
    return <Entry {...this.props} />;
  }
}

const Entry = ({ item, before, visitor, isFirstNew, isSought }: LineProps) => {
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
        <Words
          item={item}
          before={isNewDay || isFirstNew ? undefined : before}
          visitor={visitor}
          isSought={isSought}
        />
      )}
    </>
  );
};

const Words = ({
  item,
  before,
  visitor,
  isSought,
}: Omit<LineProps, 'item' | 'isFirstNew'> & { item: Exclude<Item, TimelineEvent> }) => {
  const isFirst =
    !before ||
    senderOf(before) !== senderOf(item) ||
    Date.parse(item.at) - Date.parse(before.at) > TOGETHER_MS;
  const kind =
    item.kind === 'note'
      ? styles.note
      : `${item.is_support_sender ? styles.ours : ''} ${item.is_bot ? styles.bot : ''}`;
  return (
    <li
      class={`${styles.line} ${kind} ${isFirst ? styles.first : ''} ${isSought ? styles.sought : ''}`}
      data-key={item.uuid}
      tabIndex={isSought ? -1 : undefined}
      aria-current={isSought ? 'true' : undefined}
    >
      {isFirst && (
        <p class={styles.who}>
          {item.kind === 'note' && <span class={styles.kind}>{words.value.inbox.note} · </span>}
          <Picture address={pictureIn(item)} /> <b dir="auto">{nameIn(item, visitor)}</b>{' '}
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
