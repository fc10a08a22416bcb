import type { ConversationStatus } from '@parlor/shared';
import type { AskedFrom } from '../../http/asked-from.ts';
import type { BotState } from '../rooms/bot-state.ts';
import type { StoredRoom } from '../rooms/rooms.model.ts';

/** A room with a bot that has begun. */
export type BotRoom = StoredRoom & { bot: BotState };

/** How a conversation stands: where the bot is switched off, a member has taken over. */
export const statusOf = ({ bot, is_bot_use }: BotRoom): ConversationStatus => {
  if (bot.status === 'ended') return 'ended';
  return is_bot_use ? 'active' : 'handoff';
};

/** A visitor's message to a bot. Its uuid is the turn's, too. */
export interface Incoming {
  uuid: string;
  text: string;
  askedFrom: AskedFrom;
  /** When it was sent, if it is in the room already; otherwise the turn stores it. */
  sentAt: Date | undefined;
  /** When the room was made that it was sent in: its visitor may have begun anew in one of the same uuid. */
  roomMadeAt: Date;
  /** The uuid was fixed by the caller, so that the turn may have been taken before. */
  isRepeatable: boolean;
}

/** What lets a message be answered: it may have waited in its conversation's line, and a model takes its time. */
export interface Standing {
  /**
   * Looks at what let the message in, its credential or workflow, when its turn has come, and while a model is asked.
   * @throws ParlorError `not_found`, `not_authenticated`: what a new one would be refused with
   */
  look(): Promise<void>;
  /** Sees the conversation as it stands, and throws when it takes no message. */
  check(room: BotRoom): void;
}

/** A message to a bot, as it is once its turn has come. */
export interface Asked {
  incoming: Incoming;
  standing: Standing;
}
