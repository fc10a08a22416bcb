import pLimit from 'p-limit';
import type { AskedFrom } from '../../../http/asked-from.ts';
import { notFound } from '../../../platform/errors.ts';
import type { MessageModel, StoredMessage } from '../../messages/messages.model.ts';
import type { RoomModel, StoredRoom } from '../../rooms/rooms.model.ts';
import { senderOf } from '../conversations.service.ts';
import type { Ask, HistoryLine } from '../turn.ts';
import type { LanguageModel } from './language-model.ts';
import { whileWanted } from './while-wanted.ts';

/** How many of the latest messages are looked at; the model's window decides how many go along. */
const MAX_LINES = 100;

/** Conversations that are read at a time: the longest are 4 MiB. */
const readTogether = pLimit(4);

/** Clients take somebody who has not said so for 6 s as not typing any more (docs/contract.md#live-channel). */
const TYPES_AGAIN_AFTER_MS = 5_000;

/** Tells a room's clients that its bot is typing, or has stopped. */
export type TellTyping = (room: TypingRoom, isTyping: boolean) => void;

type TypingRoom = Pick<StoredRoom, '_id' | 'account' | 'widget'>;

/** A room in which a model is asked; one that is being made was not created yet. */
type AskingRoom = TypingRoom & Pick<StoredRoom, 'bot'> & Partial<Pick<StoredRoom, 'created_at'>>;

/**
 * The way from a room's turn to the language model, with the conversation as its history. An answer is given up whose room
 * is deleted meanwhile, and one that `wanted` throws for.
 */
export const createAsk =
  (
    { messages, rooms }: { messages: MessageModel; rooms: RoomModel },
    model: Pick<LanguageModel, 'forTurn'>,
    tellTyping: TellTyping,
  ) =>
  (room: AskingRoom, before: Date, askedFrom: AskedFrom, wanted: () => Promise<void>): Ask => {
    const { _id, account, bot, created_at } = room;
    const ask = model.forTurn();
    const readHistory = async (): Promise<HistoryLine[]> => {
      const found = await messages
        .find({ room: _id, sent_at: { $lt: before } }, { body: 1, is_bot: 1, is_support_sender: 1 })
        .sort({ sent_at: -1, _id: -1 })
        .limit(MAX_LINES)
        .lean<StoredMessage[]>();
      return found.reverse().map((message) => ({ sender: senderOf(message), text: message.body }));
    };
    const look = async (): Promise<void> => {
      if (created_at !== undefined && !(await rooms.exists({ _id, created_at }))) throw notFound();
      await wanted();
    };
    return async (node, { variables, input }, delta) => {
      const tell = (isTyping: boolean): void => {
        // Nobody looks at the room of a conversation by the API while its caller is answered.
        if (bot?.conversation === undefined) tellTyping(room, isTyping);
      };
      tell(true);
      const again = setInterval(() => tell(true), TYPES_AGAIN_AFTER_MS);
      try {
        return await whileWanted(look, (gone) => {
          const history = () => readTogether(readHistory);
          const said = { node, variables, history, input, delta };
          return ask({ account, room: _id, askedFrom, gone, ...said });
        });
      } finally {
        clearInterval(again);
        tell(false);
      }
    };
  };
