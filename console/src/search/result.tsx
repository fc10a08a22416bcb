import type { SearchMatch, SearchResult } from '@parlor/shared';
import { visitorName } from '../inbox/conversation-list.tsx';
import { conversationOf } from '../inbox/known.ts';
import { ago, moment, words } from '../locale/locale.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import styles from './search.module.css';

const ICONS: Record<SearchResult['kind'], IconName> = {
  conversation: 'inbox',
  message: 'widget',
  note: 'note',
  lead: 'assign',
};

/** A text with the words that were found in it marked. */
const Marked = ({ text, marks }: SearchMatch) => {
  const pieces: (string | { marked: string })[] = [];
  let from = 0;
  for (const [begin = 0, end = 0] of marks) {
    pieces.push(text.slice(from, begin), { marked: text.slice(begin, end) });
    from = end;
  }
  pieces.push(text.slice(from));
  return (
    <span dir="auto">
      {pieces.map((piece, at) => (typeof piece === 'string' ? piece : <mark key={at}>{piece.marked}</mark>))}
    </span>
  );
};

/** Who it is about, as far as it is known. */
const titleOf = ({ conversation, kind }: SearchResult): string => {
  const known = conversation && conversationOf(conversation.uuid);
  if (known) return visitorName(known);
  return conversation?.name || words.value.search.kindOf[kind];
};

/** Where it stands: a message or note in the midst of its conversation. */
const addressOf = ({ kind, uuid, conversation }: SearchResult): string => {
  if (kind === 'lead' || !conversation) return `/console/leads?lead=${uuid}`;
  const address = `/console/inbox/all/${conversation.uuid}`;
  return kind === 'conversation' ? address : `${address}?entry=${uuid}`;
};

/** Something that was found, with a link to where it stands. */
export const Result = ({ result }: { result: SearchResult }) => {
  const { kind, at, matches } = result;
  return (
    <li>
      <a class={styles.result} href={addressOf(result)}>
        <Icon name={ICONS[kind]} />
        <span class={styles.top}>
          <b dir="auto">{titleOf(result)}</b>
          <span class="hidden">{words.value.search.kindOf[kind]}</span>
          <time dateTime={at} title={moment(at)}>
            {ago(at)}
          </time>
        </span>
        <span class={styles.matches}>
          {matches.map((match) => (
            <Marked key={match.field} {...match} />
          ))}
        </span>
      </a>
    </li>
  );
};
