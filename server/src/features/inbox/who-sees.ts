import { activeOf, type Member, restrictionOf } from '../members/member.ts';
import { isInView } from '../members/view.ts';
import type { StoredConversation } from './conversation.model.ts';

/** The members of an account, asked for once where several conversations need them. */
export type Members = () => Promise<Member[]>;

/** Whether a member who has accepted its invitation sees a conversation. */
export const sees = (
  member: Member,
  { account, widget }: Pick<StoredConversation, 'account' | 'widget'>,
): boolean =>
  activeOf(member) !== undefined &&
  isInView({ account, widgets: restrictionOf(member) }, { account, widget });

/** The members of an account who see a conversation. */
export const everybodyWhoSees = (conversation: StoredConversation, members: readonly Member[]): string[] =>
  members.filter((one) => sees(one, conversation)).map(({ _id }) => _id);

/** The first of some members who still is one, sees the conversation and is not away; undefined: none. */
export const firstThere = async (
  authors: readonly string[],
  conversation: StoredConversation,
  members: Members,
): Promise<string | undefined> => {
  const there = (await members()).filter((one) => sees(one, conversation) && !one.is_away);
  return authors.find((author) => there.some(({ _id }) => _id === author));
};
