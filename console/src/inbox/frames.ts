import type { ConversationState, MessageAdded, ServerFrame } from '@parlor/shared';
import { me } from '../session/session.ts';
import { countAnew, takeCounts } from './counts.ts';
import { forgetDraft } from './drafts.ts';
import { change, known, miss, remove, returned, underWay } from './known.ts';
import { mark, unmark } from './marked.ts';
import { forgetUnsent } from './outbox.ts';
import { isFurtherDown, isStale } from './store.ts';

/** Later than everything: of what does not tell when it happened. */
const LATEST = '9999';

/** A conversation that is not known, or not all of what changed, is read, unless it stands further down. */
const learnOf = (uuid: string, at = LATEST, state?: ConversationState): void => {
  if (isFurtherDown(uuid, state)) miss(uuid, at);
  else isStale(uuid);
};

/** Takes in what was said, as far as a message tells it. */
const takeMessage = ({ room, is_bot = false, author, ...said }: MessageAdded): void => {
  const current = known.value.get(room.uuid);
  if (!current) {
    learnOf(room.uuid, said.sent_at);
    return;
  }
  const { last_message: last, visitor } = current;
  if (last && (said.sent_at < last.sent_at || said.uuid === last.uuid)) return;
  const isOwn = author !== undefined && author.uuid === me.value?.uuid;
  const isNew = !said.is_support_sender && !current.is_bot_use;
  change(room.uuid, {
    last_message: { phone_number: '', is_bot, ...(author && { author }), ...said },
    updated_at: said.sent_at > current.updated_at ? said.sent_at : current.updated_at,
    is_unread: isNew || (current.is_unread && !isOwn),
  });
  // Who the visitor says it is may stand in a lead, too.
  const isKnown = said.nickname === visitor.name && said.email === visitor.email;
  if (!said.is_support_sender && !isKnown && said.nickname + said.email !== '') isStale(room.uuid);
};

/** Takes in what the live channel tells. */
export const take = (frame: ServerFrame): void => {
  switch (frame.type) {
    case 'conversation.updated': {
      const { changed, previous, by, ...state } = frame.data;
      const current = known.value.get(state.uuid);
      // The response to what was done next has overtaken it.
      if (current && state.updated_at < current.updated_at) isStale(state.uuid);
      else if (current) change(state.uuid, state);
      else learnOf(state.uuid, state.updated_at, state);
      void countAnew();
      break;
    }
    case 'conversation.marked': {
      const { room = '', data } = frame;
      // What is told while this tab changes it, too, may be of before that.
      if ((underWay.get(room) ?? []).some(({ is_unread }) => is_unread !== undefined)) {
        isStale(room);
        break;
      }
      if (data.is_unread) mark(room);
      else unmark(room);
      change(room, { is_unread: data.is_unread });
      // It changes no time by which it would be seen that a list was read before it.
      miss(room, LATEST);
      break;
    }
    case 'message.added':
      takeMessage(frame.data);
      void countAnew();
      break;
    case 'note.added':
      if (frame.room === undefined || !frame.data.mentioned.includes(me.value?.uuid ?? '')) break;
      change(frame.room, { is_unread: true });
      void countAnew();
      break;
    case 'room.deleted':
      remove(frame.data.uuid);
      // Not even what was typed in it is kept.
      forgetDraft(frame.data.uuid);
      forgetUnsent(frame.data.uuid);
      void countAnew();
      break;
    case 'chat.added':
      // Its visitor has begun it anew.
      returned(frame.data.uuid);
      learnOf(frame.data.uuid);
      break;
    case 'room.updated':
      learnOf(frame.data.uuid);
      break;
    case 'counts':
      takeCounts(frame.data);
      break;
    case 'presence': {
      const visitor = frame.room === undefined ? undefined : known.value.get(frame.room)?.visitor;
      if (visitor && frame.room !== undefined && frame.data.sender === 'visitor') {
        change(frame.room, { visitor: { ...visitor, is_online: frame.data.online } });
      }
      break;
    }
  }
};
