import { foldName, type NoteWritten } from '@parlor/shared';
import { changeDocument } from '../../../events/change.ts';
import type { EventConsumer, Relay } from '../../../events/relay.ts';
import { ignoreMissing } from '../../../platform/errors.ts';
import type { Member } from '../../members/member.ts';
import type { ConversationModel, StoredConversation } from '../conversation.model.ts';
import type { ConversationFollower } from '../follow.ts';
import type { InboxService } from '../inbox.service.ts';
import { changeOf } from '../state.ts';
import { sees } from '../who-sees.ts';

/** An @ that no name stands before, and what may be a username behind it. */
const MENTION = /(?<![\p{L}\p{N}@.+_-])@([\p{L}\p{N}@.+_-]{1,150})/gu;

/** What may end a username, and more often ends the sentence. */
const LAST = /[@.+_-]$/;

/**
 * The members whom a text mentions by `@username`, without regard to case, and who see the conversation; each once, in
 * the order of the text. Of names that begin alike the longest counts.
 */
export const mentionedIn = (
  body: string,
  conversation: Pick<StoredConversation, 'account' | 'widget'>,
  members: readonly Member[],
): string[] => {
  const byName = new Map<string, string>();
  for (const member of members) {
    if (member.username_key !== undefined && sees(member, conversation))
      byName.set(member.username_key, member._id);
  }
  const found = new Set<string>();
  for (const [, name = ''] of body.matchAll(MENTION)) {
    for (let wanted = foldName(name); ; wanted = wanted.slice(0, -1)) {
      const member = byName.get(wanted);
      if (member !== undefined) found.add(member);
      if (member !== undefined || !LAST.test(wanted)) break;
    }
  }
  return [...found];
};

/**
 * Gives whoever is mentioned the conversation as unread, but for those who have answered since. A second time changes
 * nothing that has not been read since.
 */
export const createMentionConsumer =
  ({
    conversations,
    follower,
    relay,
    inbox,
  }: {
    conversations: ConversationModel;
    follower: Pick<ConversationFollower, 'upToDate'>;
    relay: Pick<Relay, 'announce'>;
    inbox: Pick<InboxService, 'releaseGone'>;
  }): EventConsumer =>
  async (events) => {
    for (const { name, account, room, at, data } of events) {
      if (name !== 'note.added' && name !== 'note.changed') continue;
      const { mentioned } = data as NoteWritten;
      if (mentioned.length === 0) continue;
      const changed = await changeDocument<StoredConversation>(
        conversations,
        { _id: room },
        async (current) => {
          // An answer of before the note must not be taken in after it, and for one that has read it.
          const said = await follower.upToDate(current);
          const { heard, unread } = Object.assign({}, current, said);
          const hasAnswered = (member: string) =>
            heard.recent.some((one) => one.author === member && one.at > at);
          const reading = mentioned.filter((member) => !hasAnswered(member));
          return changeOf(current, { ...said, unread: [...new Set([...unread, ...reading])] });
        },
      ).catch(ignoreMissing);
      if (changed) relay.announce(conversations, changed);
      await inbox.releaseGone(account, mentioned);
    }
  };
