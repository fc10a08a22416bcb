import {
  choice,
  INBOX_STATUSES,
  MAX_SHORTCUT,
  Note,
  Reply,
  Room,
  TagName,
  tags,
  text,
  WAITING_ON,
} from '@parlor/shared';
import { z } from 'zod';
import { collectionOf, NEWEST_FIRST } from '../../database/collection-data.ts';
import { identifier, listOf, memberThen, open } from '../../database/stored-shapes.ts';
import type { StoredConversation } from './conversation.model.ts';
import type { StoredNote } from './notes/note.model.ts';
import type { StoredRelease } from './releases.ts';
import type { StoredReply } from './replies/reply.model.ts';
import { KEPT_NAMES, type TagNamesOf } from './tag-names.ts';
import type { StoredConversationEvent } from './timeline/conversation-event.model.ts';
import { HEARD } from './waiting.ts';

const status = () => choice(INBOX_STATUSES);
const member = () => identifier().nullable();

/** A change as the timeline keeps it. */
const CHANGE = z.discriminatedUnion('field', [
  open({ field: z.literal('status'), from: status(), to: status(), snoozed_until: member() }),
  open({ field: z.literal('assignee'), from: member(), to: member() }),
  open({ field: z.literal('tags'), added: tags(), removed: tags() }),
  open({ field: z.literal('rating'), to: Room.shape.rating }),
  open({ field: z.literal('is_bot_use'), to: z.boolean() }),
]);

/** What the map of data says of how members work on conversations. */
export const inboxData = {
  notes: collectionOf<StoredNote>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: NEWEST_FIRST,
    needs: { room: 'rooms' },
    erased: { by: 'room', how: 'deleted', madeAt: 'created_at' },
    fields: {
      plain: [
        ...(['_id', 'account', 'room', 'widget', 'member', 'mentions'] as const),
        ...(['created_at', 'edited_at', 'version'] as const),
      ],
      owner: ['body', 'author', 'events'],
    },
    words: ['author.name'],
    nullable: ['author', 'edited_at'],
    shapes: { body: Note.shape.body, author: memberThen(), mentions: listOf(identifier()) },
  }),
  replies: collectionOf<StoredReply>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: NEWEST_FIRST,
    fields: {
      plain: ['_id', 'account', 'assignee', 'status', 'created_at', 'version'],
      owner: ['name', 'shortcut', 'folded', 'body', 'tags', 'events'],
    },
    nullable: ['assignee', 'status'],
    shapes: {
      ...{ name: Reply.shape.name, shortcut: Reply.shape.shortcut, body: Reply.shape.body },
      ...{ tags: tags(), status: Reply.shape.status, folded: text({ max: MAX_SHORTCUT }) },
    },
  }),
  inbox: collectionOf<StoredConversation>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: NEWEST_FIRST,
    needs: { _id: 'rooms' },
    erased: { by: '_id', how: 'buried', madeAt: 'created_at' },
    fields: {
      plain: [
        ...(['_id', 'account', 'widget', 'label', 'is_bot_use', 'status', 'snoozed_until'] as const),
        ...(['status_at', 'waiting_on', 'waiting_since', 'first_response_at', 'assignee'] as const),
        ...(['assignee_at', 'unread', 'heard', 'introduced_in', 'created_at', 'updated_at'] as const),
        ...(['rank', 'version'] as const),
      ],
      visitor: ['rating', 'events'],
      owner: ['tags'],
    },
    words: ['label'],
    nullable: [
      ...(['rating', 'snoozed_until', 'waiting_on', 'waiting_since', 'first_response_at'] as const),
      'assignee',
    ],
    shapes: {
      ...{ label: Room.shape.label, rating: Room.shape.rating, status: choice(INBOX_STATUSES) },
      ...{ waiting_on: choice(WAITING_ON), tags: tags(), unread: listOf(identifier()), heard: HEARD },
    },
  }),
  tagNames: collectionOf<TagNamesOf>()({
    owner: { by: '_id' },
    kept: 'until deleted',
    copied: { _id: 1 },
    fields: { plain: ['_id'], owner: ['names'] },
    shapes: { names: listOf(TagName, KEPT_NAMES) },
  }),
  // With its conversations, as long as some are still to be released.
  releases: collectionOf<StoredRelease>()({
    owner: { by: 'account' },
    kept: 'while at work',
    copied: { _id: 1 },
    fields: { plain: ['_id', 'account'] },
  }),
  conversationEvents: collectionOf<StoredConversationEvent>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: { at: -1, _id: -1 },
    needs: { room: 'rooms' },
    erased: { by: 'room', how: 'deleted', madeAt: 'at' },
    fields: { plain: ['_id', 'account', 'room', 'at'], visitor: ['changes'], owner: ['by'] },
    words: ['changes.added', 'changes.removed', 'by.name'],
    nullable: ['by'],
    shapes: { by: memberThen(), changes: listOf(CHANGE) },
  }),
};
