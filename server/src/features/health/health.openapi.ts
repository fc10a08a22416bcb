import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { operation } from '../../http/openapi/operation.ts';

const tag = 'Operation';
const callers = ['public'] as const;

export const healthPaths: ZodOpenApiPathsObject = {
  '/healthz': {
    get: operation({
      id: 'health',
      tag,
      summary: 'Alive',
      description: 'Says nothing of the database: restart the process when this fails.',
      callers,
      answers: {
        status: 200,
        description: 'The process answers.',
        schema: z.object({ status: z.literal('alive') }),
      },
    }),
  },
  '/readyz': {
    get: operation({
      id: 'readiness',
      tag,
      summary: 'Ready: the database takes a write within 2 seconds',
      description:
        'Send requests here only while this is a 200. A 503 says what is wrong; while the disk is nearly full (`DISK_RESERVE_MIB`), ' +
        'it says so, and reading, signing in and deleting still work.',
      callers,
      errors: [429],
      answers: {
        status: 200,
        description: 'Requests can be answered.',
        schema: z.object({ status: z.literal('ready') }),
      },
    }),
  },
  '/api/v1/openapi.json': {
    get: operation({
      id: 'openapi',
      tag,
      summary: 'This document',
      description: 'OpenAPI 3.1, made from the schemas that check requests.',
      callers,
      condition: 'read',
      answers: {
        status: 200,
        description: 'OpenAPI 3.1.',
        schema: z.looseObject({ openapi: z.string().meta({ example: '3.1.1' }) }),
        headers: ['ETag'],
      },
    }),
  },
};
