import {
  CONVERSATION_STATUSES,
  type ConversationStatus,
  choice,
  MAX_MESSAGE,
  MAX_NODE_ID,
  MAX_VARIABLE,
  Message,
  text,
} from '@parlor/shared';
import { Schema, type SchemaDefinition } from 'mongoose';
import { z } from 'zod';
import type { Index } from '../../database/model.ts';
import { count, identifier, listOf, open } from '../../database/stored-shapes.ts';
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
  /** Counts the leads that the bot has taken; none of a conversation from before it was counted. */
  leads?: number;
  /** When the last message was sent: the next one is later. */
  last_sent_at: Date;
  /** The last turn and its response, for a caller that comes again. */
  last: TurnResult & { turn: string };
  pending?: PendingTurn;
}

/** What one turn says at most, in bytes of UTF-8: it stands in the room's document until it is published. */
export const MAX_SAID_BYTES = 262_144;

/** All that a turn says as one text, in characters: with a blank line between two of at most 100 messages. */
export const answerText = () => text({ max: MAX_SAID_BYTES + 200 });

const said = () => text({ max: MAX_MESSAGE });

const SAID = listOf(open({ text: said(), sent_at: z.date() }));

/** Whoever asks or says something. */
const contact = {
  nickname: Message.shape.nickname.optional(),
  email: Message.shape.email.optional(),
  phone_number: Message.shape.phone_number.optional(),
};

/** What of a `BotState` has to be there for a conversation to go on, and a turn to be published. */
export const BOT_STATE = open({
  status: choice(CONVERSATION_STATUSES),
  node: text({ max: MAX_NODE_ID }),
  asked: count(),
  variables: listOf(z.tuple([text({ max: MAX_VARIABLE }), said()])),
  workflow: identifier(),
  graph: identifier(),
  conversation: identifier().optional(),
  turns: count(),
  leads: count().optional(),
  last_sent_at: z.date(),
  last: open({ turn: identifier(), status: choice(CONVERSATION_STATUSES), messages: SAID }),
  pending: open({
    turn: identifier(),
    at: z.date(),
    messages: listOf(
      open({
        _id: identifier(),
        account: identifier(),
        room: identifier(),
        ...contact,
        body: said(),
        support_answer: answerText().optional(),
        sent_at: z.date(),
        events: listOf(
          open({
            ...{ id: identifier(), name: identifier(), at: z.date(), data: open({}) },
            asked_from: listOf(identifier(), 2).optional(),
          }),
        ).optional(),
      }),
    ),
    leads: listOf(open({ _id: identifier(), fields: open(contact) })),
    answers: open({ message: identifier(), text: answerText() }).optional(),
  }).optional(),
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
