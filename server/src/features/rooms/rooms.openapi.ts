import { NewRoom, Room } from '@parlor/shared';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  created,
  deleted,
  listOf,
  listQuery,
  operation,
  patchOf,
  shown,
} from '../../http/openapi/operation.ts';

const tag = 'Rooms';
const callers = ['account'] as const;
const path = { label: Room.shape.label };

const messagesLimit = (fallback: number) => ({
  messages_limit: z
    .int()
    .min(0)
    .max(500)
    .default(fallback)
    .optional()
    .meta({ description: 'How many of the latest messages a room holds, as long as they fit into 2 MiB.' }),
});

export const roomPaths: ZodOpenApiPathsObject = {
  '/api/v1/rooms/': {
    get: operation({
      id: 'listRooms',
      tag,
      summary: 'List your rooms',
      description: 'Newest first, each with its latest messages; page by the address in `Link`.',
      callers,
      query: { ...listQuery, ...messagesLimit(20) },
      answers: listOf(Room),
    }),
    post: operation({
      id: 'createRoom',
      tag,
      summary: 'Create a room',
      description: 'Fires chat.added. Without a label the server makes one; every other field has a default.',
      callers,
      body: NewRoom,
      isBodyOptional: true,
      isIdempotent: true,
      answers: created(Room),
    }),
  },
  '/api/v1/rooms/{label}/': {
    get: operation({
      id: 'retrieveRoom',
      tag,
      summary: 'Details of one room',
      description: 'By its label, with its latest messages in the order sent.',
      callers,
      path,
      query: messagesLimit(100),
      condition: 'read',
      answers: shown(Room),
    }),
    put: operation({
      id: 'updateRoom',
      tag,
      summary: 'Replace all fields',
      description: 'What is not sent goes back to its default; the label stays when it is not sent.',
      callers,
      path,
      query: messagesLimit(100),
      body: NewRoom,
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Room),
    }),
    patch: operation({
      id: 'changeRoom',
      tag,
      summary: 'Change one or some fields',
      description:
        'A visitor may change the `rating` of its own room, and set `is_bot_use` to false: it wants a person.',
      callers: ['account', 'visitor'],
      path,
      query: messagesLimit(100),
      body: patchOf(NewRoom, 'RoomPatch'),
      bodyExample: { rating: 5 },
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Room),
    }),
    delete: operation({
      id: 'deleteRoom',
      tag,
      summary: 'Delete a room and its messages',
      description: 'Its notifications go, too, and its deliveries lose what they said; leads stay.',
      callers,
      path,
      query: messagesLimit(100),
      condition: 'write',
      answers: deleted,
    }),
  },
};
