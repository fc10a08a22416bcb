import type { MemberReference, Side } from '@parlor/shared';
import type { OutboxEvent } from '../../events/events.ts';
import type { MessageModel, StoredMessage } from '../messages/messages.model.ts';
import { type Heard, type Said, settledIn } from './waiting.ts';

/** A message with what else of it changes a conversation. */
export interface SaidBy extends Said {
  /** Whether it says who the visitor is. */
  isIntroduction: boolean;
}

const senderOf = (isSupport: boolean, isBot: boolean): Side =>
  isBot ? 'bot' : isSupport ? 'person' : 'visitor';

type Outline = Pick<
  StoredMessage,
  '_id' | 'sent_at' | 'is_support_sender' | 'is_bot' | 'author' | 'nickname' | 'email'
>;

const OUTLINE = {
  sent_at: 1,
  is_support_sender: 1,
  is_bot: 1,
  author: 1,
  nickname: 1,
  email: 1,
} as const;

/** Whether a message has the visitor's name or address; its event knows of no number. */
const introduces = (sender: Side, { nickname, email }: Pick<Outline, 'nickname' | 'email'>): boolean =>
  sender === 'visitor' && (nickname !== '' || email !== '');

const asSaid = ({ _id, sent_at, is_support_sender, is_bot, author, ...words }: Outline): SaidBy => {
  const sender = senderOf(is_support_sender, is_bot);
  const isIntroduction = introduces(sender, words);
  return { id: _id, at: sent_at, sender, author: author?.uuid, isIntroduction };
};

/** What a message.added event says. */
export const saidIn = ({ at, data, live }: OutboxEvent): SaidBy => {
  const { uuid, is_support_sender, nickname, email, author } = data as {
    uuid: string;
    is_support_sender: boolean;
    nickname: string;
    email: string;
    author?: MemberReference;
  };
  const { is_bot = false } = (live ?? {}) as { is_bot?: boolean };
  const sender = senderOf(is_support_sender, is_bot);
  const isIntroduction = introduces(sender, { nickname, email });
  return { id: uuid, at, sender, author: author?.uuid, isIntroduction };
};

/** How many messages are read at once. */
const STEP = 500;

/** The messages of a room, oldest first, in steps. @param from only those after this one */
export async function* readSaid(
  messages: MessageModel,
  room: string,
  from?: Pick<Said, 'id' | 'at'>,
): AsyncGenerator<SaidBy[]> {
  for (let after = from; ; ) {
    const filter = {
      room,
      ...(after && {
        sent_at: { $gte: after.at },
        $nor: [{ sent_at: after.at, _id: { $lte: after.id } }],
      }),
    };
    const options = { projection: OUTLINE, sort: { sent_at: 1, _id: 1 }, limit: STEP, batchSize: STEP + 1 };
    // Past mongoose, whose casting costs more than the rest.
    const found = await messages.collection.find(filter as never, options as never).toArray();
    const said = (found as unknown as Outline[]).map(asSaid);
    if (said.length > 0) yield said;
    if (said.length < STEP) return;
    after = said.at(-1);
  }
}

/** Whether all that was said in a room before what is kept of it one by one has been taken in. */
export const isComplete = async (messages: MessageModel, room: string, heard: Heard): Promise<boolean> => {
  const last = settledIn(heard);
  if (!last || heard.settled === undefined) return false;
  const { id, at } = last;
  const [before, then] = await Promise.all([
    messages.countDocuments({ room, sent_at: { $lt: at } }),
    messages.countDocuments({ room, sent_at: at, _id: { $lte: id } }),
  ]);
  return heard.settled === before + then;
};
