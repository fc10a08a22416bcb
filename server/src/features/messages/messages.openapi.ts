import {
  CreatedMessageWithAnswer,
  MessageInRoom,
  MessageWithAnswer,
  NewMessage,
  uuidReference,
} from '@parlor/shared';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { created, listOf, listQuery, operation, shown, uuidInPath } from '../../http/openapi/operation.ts';

const tag = 'Messages';

export const messagePaths: ZodOpenApiPathsObject = {
  '/api/v1/messages/': {
    get: operation({
      id: 'listMessages',
      tag,
      summary: 'List your messages',
      description: "A visitor gets those of its own room; `room` narrows an account's to one room.",
      callers: ['account', 'visitor'],
      query: { ...listQuery, room: uuidReference().optional() },
      errors: [404],
      answers: listOf(MessageInRoom),
    }),
    post: operation({
      id: 'createMessage',
      tag,
      summary: 'Create a message',
      description:
        'Fires message.added. A visitor writes into its own room, never as support; its first message makes the room.',
      callers: ['account', 'visitor'],
      body: NewMessage,
      bodyExample: {
        body: 'Do you deliver?',
        email: 'ada@example.com',
        nickname: 'Ada',
        room: { uuid: '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11' },
      },
      isIdempotent: true,
      answers: created(CreatedMessageWithAnswer),
    }),
  },
  '/api/v1/messages/{uuid}/': {
    get: operation({
      id: 'retrieveMessage',
      tag,
      summary: 'Details of one message',
      description: 'With its room, and where a bot answers there, with the bot’s answer.',
      callers: ['account'],
      path: { uuid: uuidInPath() },
      condition: 'read',
      answers: shown(MessageWithAnswer),
    }),
  },
};
