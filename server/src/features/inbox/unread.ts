import type { SaidBy } from './said.ts';
import { isSaidAfter, type Said, type Taken } from './waiting.ts';

export const isFromVisitor = ({ sender }: Pick<Said, 'sender'>): boolean => sender === 'visitor';

/**
 * The members who have yet to read a conversation once some messages are taken in. It goes by when they were sent, and
 * not by when they are told of: several processes tell in no certain order.
 * @param anew those who get the conversation as unread, unless they have answered since; `isForAll`: even then
 */
export const unreadAfter = (
  unread: readonly string[],
  { heard, added }: Pick<Taken<SaidBy>, 'heard' | 'added'>,
  anew: { members: readonly string[]; isForAll: boolean },
): string[] => {
  const next = new Set(unread);
  const asked = added.findLast(isFromVisitor);
  for (const member of anew.members) {
    const isAnswered = asked && isSaidAfter(heard, asked, ({ author }) => author === member);
    if (anew.isForAll || !isAnswered) next.add(member);
  }
  // Whoever answers has read what stands above.
  for (const said of added) {
    if (said.author !== undefined && !isSaidAfter(heard, said, isFromVisitor)) next.delete(said.author);
  }
  return [...next];
};
