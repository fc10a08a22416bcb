import type { MessageModel } from '../messages/messages.model.ts';
import { LINE_FIELDS, type Line, TRANSCRIPT_LINES } from './transcript.ts';

/** A message whose conversation is asked for. */
export interface Asked extends Line {
  room: string;
}

const isBefore = (a: Line, b: Line): boolean =>
  a.sent_at < b.sent_at || (a.sent_at.getTime() === b.sent_at.getTime() && a._id < b._id);

/** At most `limit` messages of a room that were sent before one of them, newest first. */
const linesBefore = (messages: MessageModel, { room, sent_at, _id }: Asked, limit: number): Promise<Line[]> =>
  messages
    .find(
      { room, sent_at: { $lte: sent_at }, $or: [{ sent_at: { $lt: sent_at } }, { _id: { $lt: _id } }] },
      LINE_FIELDS,
    )
    .sort({ sent_at: -1, _id: -1 })
    .limit(limit)
    .lean<Line[]>()
    .exec();

/**
 * The last messages of a room up to and with each of those that are asked for, in the order sent. Those of one room
 * are read together. A message that was deleted meanwhile still ends its own conversation.
 * @returns the lines by the uuid of the message that was asked for
 */
export const conversationsUpTo = async (
  messages: MessageModel,
  asked: readonly Asked[],
): Promise<Map<string, Line[]>> => {
  const found = new Map<string, Line[]>();
  for (const room of new Set(asked.map((message) => message.room))) {
    const own = asked.filter((message) => message.room === room).sort((a, b) => (isBefore(a, b) ? -1 : 1));
    const newest = own.at(-1);
    if (!newest) continue;
    const limit = TRANSCRIPT_LINES + own.length - 2;
    const read = await linesBefore(messages, newest, limit);
    for (const message of own) {
      const known = read.filter((line) => isBefore(line, message)).slice(0, TRANSCRIPT_LINES - 1);
      // So much else was said in between that what is before the oldest of them has not been read.
      const isShort = known.length < TRANSCRIPT_LINES - 1 && read.length === limit;
      const before = isShort ? await linesBefore(messages, message, TRANSCRIPT_LINES - 1) : known;
      found.set(message._id, [...before.toReversed(), message]);
    }
  }
  return found;
};
