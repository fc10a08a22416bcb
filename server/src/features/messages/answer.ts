import type { SchemaDefinition } from 'mongoose';
import type { Index } from '../../database/model.ts';

/** What the model of messages keeps for a bot. */
export interface WithAnswer {
  /** What the room's bot has answered; absent until it has. */
  support_answer?: string;
  /** While it waits for an answer: when the process that has it in hand is taken for dead. */
  answer_due?: Date;
}

export const answerFields: SchemaDefinition = {
  support_answer: { type: String, default: undefined },
  answer_due: { type: Date, default: undefined },
};

export const answerIndex: Index = [{ answer_due: 1 }, { sparse: true }];
