import type { ConversationStatus } from '@parlor/shared';
import { Schema, type SchemaDefinition } from 'mongoose';
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
