import { z } from 'zod';

export const CONVERSATION_STATUSES = ['active', 'handoff', 'ended'] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

/** The answer to POST /api/v1/public/conversations/start (specification 2). */
export const StartedConversation = z
  .object({
    conversationId: z.string().meta({ example: `conv_${'x'.repeat(24)}` }),
    message: z.string(),
    workflowName: z.string(),
  })
  .meta({ id: 'StartedConversation' });
export type StartedConversation = z.infer<typeof StartedConversation>;

const sentAt = () =>
  z.iso.datetime({ offset: true, precision: 3 }).meta({ example: '2026-11-21T09:30:00.123+00:00' });

/** The answer to a message in a conversation (docs/contract.md#agent-api). */
export const ConversationTurn = z
  .object({
    messages: z.array(z.object({ message: z.string(), sentAt: sentAt() })),
    status: z.enum(CONVERSATION_STATUSES),
  })
  .meta({ id: 'ConversationTurn' });
export type ConversationTurn = z.infer<typeof ConversationTurn>;

/** A conversation with everything that was said in it. */
export const AgentConversation = z
  .object({
    conversationId: z.string(),
    workflowName: z.string(),
    status: z.enum(CONVERSATION_STATUSES),
    messages: z.array(
      z.object({ message: z.string(), sender: z.enum(['visitor', 'bot', 'person']), sentAt: sentAt() }),
    ),
  })
  .meta({ id: 'AgentConversation' });
export type AgentConversation = z.infer<typeof AgentConversation>;
