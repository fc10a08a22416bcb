import type { ConversationStatus } from '@parlor/shared';
import { Schema, type SchemaDefinition } from 'mongoose';
import { z } from 'zod';
import type { Index } from '../../database/model.ts';
import type { EventHolder } from '../../events/events.ts';

/** Where a conversation stands between two turns. */
export interface Position {
  status: ConversationStatus;
  /** The node that waits for the visitor; empty when none does. */
  node: string;
  /** How often the question there has been asked. */
  asked: number;
  variables: [name: string, value: string][];
}

/** A message of a turn. */
export interface Said {
  text: string;
  sent_at: Date;
}

export interface LeadFields {
  nickname: string;
  email: string;
  phone_number: string;
}

/**
 * What a turn made, until it stands in the collections where it belongs. It is part of the room's document, so
 * that the turn, its messages and their events are one write: done or undone, never half.
 */
export interface PendingTurn {
  turn: string;
  at: Date;
  /** Whole, with their events; their ids derive from the turn's, so that storing them twice changes nothing. */
  messages: EventHolder[];
  leads: { _id: string; fields: LeadFields }[];
  /** The message in the room that this turn answers, and with what; it is there already. */
  answers?: { message: string; text: string };
}

/** A turn's response to its caller. */
export interface TurnResult {
  messages: Said[];
  status: ConversationStatus;
}

/**
 * A room's bot: where its conversation stands (docs/contract.md#agent-api). It lives in the room's document.
 */
export interface BotState extends Position {
  workflow: string;
  /** The version of the workflow that the conversation began with. */
  graph: string;
  /** `conv_…`; only for a conversation of the agent API. */
  conversation?: string;
  /** Counts the turns; a turn's compare-and-set goes by it. */
  turns: number;
  /** When the last message was sent: the next one is later. */
  last_sent_at: Date;
  /** The last turn and its response, for a caller that comes again. */
  last: TurnResult & { turn: string };
  pending?: PendingTurn;
}

const SAID = z.array(z.looseObject({ text: z.string(), sent_at: z.date() }));

/** What of a `BotState` has to be there for a conversation to go on, and a turn to be published. */
export const BOT_STATE = z.looseObject({
  status: z.string(),
  node: z.string(),
  asked: z.number(),
  variables: z.array(z.tuple([z.string(), z.string()])),
  workflow: z.string(),
  graph: z.string(),
  conversation: z.string().optional(),
  turns: z.number(),
  last_sent_at: z.date(),
  last: z.looseObject({ turn: z.string(), status: z.string(), messages: SAID }),
  pending: z
    .looseObject({
      turn: z.string(),
      at: z.date(),
      messages: z.array(
        z.looseObject({
          _id: z.string(),
          account: z.string(),
          room: z.string(),
          body: z.string(),
          sent_at: z.date(),
          events: z
            .array(z.looseObject({ id: z.string(), name: z.string(), at: z.date(), data: z.looseObject({}) }))
            .optional(),
        }),
      ),
      leads: z.array(z.looseObject({ _id: z.string(), fields: z.record(z.string(), z.string()) })),
      answers: z.looseObject({ message: z.string(), text: z.string() }).optional(),
    })
    .optional(),
});

/** What the model of rooms keeps for a bot. */
export interface WithBot {
  bot?: BotState;
}

export const botFields: SchemaDefinition = { bot: { type: Schema.Types.Mixed, default: undefined } };

/** By which a conversation is found, and what a killed process left behind. */
export const botIndexes: Index[] = [
  [{ 'bot.conversation': 1 }, { unique: true, sparse: true }],
  [{ 'bot.pending.at': 1 }, { sparse: true }],
];
