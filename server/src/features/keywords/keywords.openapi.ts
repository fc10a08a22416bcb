import { Keyword, KeywordNotification, NewKeyword } from '@parlor/shared';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  created,
  deleted,
  listOf,
  listQuery,
  operation,
  shown,
  uuidInPath,
} from '../../http/openapi/operation.ts';

const callers = ['account'] as const;
const path = { uuid: uuidInPath() };

export const keywordPaths: ZodOpenApiPathsObject = {
  '/api/v1/keyword_notifications/': {
    get: operation({
      id: 'listKeywordNotifications',
      tag: 'Keyword notifications',
      summary: 'List your keyword notifications',
      description:
        'One for each message of a customer that mentions keywords, at most 1,000 a UTC day unless the server is ' +
        'set otherwise. `transcripts` holds the latest messages up to and with that one: at most 20, and at most ' +
        '2 kB of names and bodies; a body of more than 512 bytes is cut and ends in an ellipsis. It is made from ' +
        'the messages that still exist; deleting a room, or erasing a visitor, deletes its notifications, too.',
      callers,
      query: listQuery,
      answers: listOf(KeywordNotification),
    }),
  },
  '/api/v1/keywords/': {
    get: operation({
      id: 'listKeywords',
      tag: 'Keywords',
      summary: 'List your keywords',
      description: 'Newest first.',
      callers,
      query: listQuery,
      answers: listOf(Keyword),
    }),
    post: operation({
      id: 'createKeyword',
      tag: 'Keywords',
      summary: 'Configure a keyword',
      description:
        'Matched as whole words, without regard to case or diacritics; at most 1000 an account, each once.',
      callers,
      body: NewKeyword,
      isIdempotent: true,
      answers: created(Keyword),
    }),
  },
  '/api/v1/keywords/{uuid}/': {
    get: operation({
      id: 'retrieveKeyword',
      tag: 'Keywords',
      summary: 'Details of one keyword',
      description: 'By its uuid.',
      callers,
      path,
      condition: 'read',
      answers: shown(Keyword),
    }),
    delete: operation({
      id: 'deleteKeyword',
      tag: 'Keywords',
      summary: 'Remove a keyword',
      description: 'Messages from now on raise no notification by it; those that were raised stay.',
      callers,
      path,
      condition: 'write',
      answers: deleted,
    }),
  },
};
