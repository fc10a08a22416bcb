import type { SchemaDefinition } from 'mongoose';
import type { Index } from '../../database/model.ts';

/** What marks a message as long as it waits for the answer of a bot. */
export interface AwaitsAnswer {
  /** When the process that has it in hand is taken for dead. */
  answer_due?: Date;
  /** Keyed hashes of the address that it came from (http/asked-from.ts); those of older versions have none. */
  asked_from?: string[];
  /** When the room was made that it was sent in: it is answered in no other one of the same uuid. Older ones have none. */
  room_made_at?: Date;
}

/** The update that takes the mark away. */
export const NOT_AWAITED = { answer_due: 1, asked_from: 1, room_made_at: 1 } as const;

/** What the model of messages keeps for a bot. */
export interface WithAnswer extends AwaitsAnswer {
  /** What the room's bot has answered; absent until it has. */
  support_answer?: string;
}

export const answerFields: SchemaDefinition = {
  support_answer: { type: String, default: undefined },
  answer_due: { type: Date, default: undefined },
  asked_from: { type: [String], default: undefined },
  room_made_at: { type: Date, default: undefined },
};

export const answerIndex: Index = [{ answer_due: 1 }, { sparse: true }];
