import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Composer } from '../../inbox/composer.tsx';
import { ConversationRow } from '../../inbox/conversation-list.tsx';
import type { Outgoing } from '../../inbox/outbox.ts';
import { Thread } from '../../inbox/thread.ts';
import { Timeline } from '../../inbox/timeline.tsx';
import { type View, viewOf } from '../../inbox/views.ts';
import styles from '../pieces.module.css';
import { ARABIC, conversation, LONG, minutesAgo, UUIDS } from '../samples.ts';
import { Piece, State } from '../state.tsx';

const idle = () => undefined;
const ALL = viewOf('all') as View;

const Row = ({
  name,
  body,
  more,
  isChosen = false,
}: {
  name: string;
  body: string;
  more?: Parameters<typeof conversation>[2];
  isChosen?: boolean;
}) => {
  const [one] = useState(() => conversation(name, body, more));
  return (
    <ul>
      <ConversationRow one={one} view={ALL} isChosen={isChosen} />
    </ul>
  );
};

const Talk = ({
  uuid,
  outgoing = [],
  isTyping = false,
}: {
  uuid: string;
  outgoing?: readonly Outgoing[];
  isTyping?: boolean;
}) => {
  const [thread] = useState(() => {
    const made = new Thread(uuid);
    made.isTyping.value = isTyping;
    return made;
  });
  const [one] = useState(() => conversation('Ada Lovelace', '', { uuid, is_unread: true }));
  return (
    <div class={styles.talk}>
      <Timeline thread={thread} conversation={one} outgoing={outgoing} onEdit={idle} />
    </div>
  );
};

const Write = ({
  uuid,
  isNote: wasNote = false,
  isBotUse = false,
}: {
  uuid: string;
  isNote?: boolean;
  isBotUse?: boolean;
}) => {
  const [thread] = useState(() => new Thread(uuid));
  const isNote = useSignal(wasNote);
  const [one] = useState(() => conversation('Ada Lovelace', '', { uuid, is_bot_use: isBotUse }));
  return <Composer thread={thread} conversation={one} isNote={isNote} begun={{ current: '' }} />;
};

const unsent = (state: Outgoing['state']): Outgoing => ({
  key: state,
  room: UUIDS.quietRoom,
  name: 'Ada Lovelace',
  body: 'It leaves on Thursday.',
  isNote: false,
  state,
});

/** What the inbox is made of. */
export const InboxPieces = () => (
  <>
    <Piece
      name="ConversationRow"
      about="A conversation in the list: who, how long they wait, and what was said last."
    >
      <State label="waiting">
        <Row
          name="Ada Lovelace"
          body="Where is my order?"
          more={{
            waiting_on: 'us',
            waiting_since: minutesAgo(47),
            is_unread: true,
            visitor: { is_online: true },
          }}
        />
      </State>
      <State label="answered, with an assignee and tags">
        <Row
          name="Alan Turing"
          body="Thank you!"
          more={{ assignee: UUIDS.grace, tags: ['delivery', 'refund'] }}
        />
      </State>
      <State label="open">
        <Row name="Ada Lovelace" body="Where is my order?" isChosen />
      </State>
      <State label="hovered" pretended="hover">
        <Row name="Ada Lovelace" body="Where is my order?" />
      </State>
      <State label="focused" pretended="focus-visible">
        <Row name="Ada Lovelace" body="Where is my order?" />
      </State>
      <State label="right to left">
        <Row name="محمد علي" body={ARABIC} more={{ tags: ['توصيل'] }} />
      </State>
      <State label="long" size="narrow">
        <Row name={LONG} body={LONG} more={{ tags: [LONG], assignee: UUIDS.hedy }} />
      </State>
    </Piece>
    <Piece name="Timeline" about="Messages, notes and events of a conversation in one order.">
      <State label="days, both sides, bot, note and events" size="wide">
        <Talk uuid={UUIDS.room} />
      </State>
      <State label="on the way, not sent, and the visitor typing">
        <Talk uuid={UUIDS.quietRoom} outgoing={[unsent('failed'), unsent('sending')]} isTyping />
      </State>
      <State label="could not be read">
        <Talk uuid={UUIDS.brokenRoom} />
      </State>
    </Piece>
    <Piece name="Composer" about="Where an answer or a note is written.">
      <State label="an answer" size="wide">
        <Write uuid={UUIDS.room} />
      </State>
      <State label="a note" size="wide">
        <Write uuid={UUIDS.quietRoom} isNote />
      </State>
      <State label="while a bot answers">
        <Write uuid={UUIDS.brokenRoom} isBotUse />
      </State>
    </Piece>
  </>
);
