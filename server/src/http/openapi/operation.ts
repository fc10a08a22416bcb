import { MAX_PAGE_SIZE, uuidReference } from '@parlor/shared';
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { BodyBounds } from '../body-reader.ts';
import { DEFAULT_LIMIT, MAX_CURSOR } from '../lists.ts';
import { defaultText } from '../validate.ts';
import {
  agentErrorResponse,
  conflictResponse,
  type ErrorPage,
  type ErrorStatus,
  errorPageResponse,
  errorResponse,
} from './errors.ts';
import { exampleOf } from './example.ts';

/** Who may call a route; `public` needs no credentials. */
export type Caller = 'public' | 'account' | 'visitor' | 'agent';

const SECURITY: Record<Caller, Record<string, string[]>[]> = {
  public: [{}],
  account: [{ Token: [] }, { Session: [] }],
  visitor: [{ Visitor: [] }],
  agent: [{ AgentKey: [] }],
};

/** What an operation answers when all is well. */
interface Success {
  status: 200 | 201 | 202 | 204 | 302;
  description: string;
  schema?: z.ZodType;
  /** It is a page for a browser. */
  isPage?: true;
  /** It is a file of JSON lines. */
  isLines?: true;
  /** Where `Accept` prefers it, the same as a stream of server-sent events. */
  hasStream?: true;
  /** It is bytes of one of these media types. */
  types?: readonly string[];
  /** Instead of the one that the schema's fields make. */
  example?: unknown;
  headers?: readonly string[];
}

export interface Description {
  id: string;
  tag: string;
  summary: string;
  description: string;
  callers: readonly Caller[];
  /** The parameters in the path. */
  params?: Record<string, z.ZodType>;
  query?: Record<string, z.ZodType>;
  body?: z.ZodType;
  bodyExample?: unknown;
  /** Instead of JSON: what bytes the body may be. */
  bytes?: BodyBounds;
  /** Every field has a default: the body may be left out. */
  isBodyOptional?: true;
  /** Takes Idempotency-Key. For good: a UUID of version 7 finds what it has made also when its response is not kept any more. */
  isIdempotent?: true | 'for good';
  /** Other headers of the request that are no credential. */
  sends?: readonly string[];
  /** Takes If-None-Match or If-Match. */
  condition?: 'read' | 'write';
  /** Errors beside those that follow from the rest. */
  errors?: readonly Exclude<ErrorStatus, 409>[];
  /** What a 409 says, where that has nothing to do with an Idempotency-Key. */
  conflict?: string;
  /** Errors that come as pages, unless `Accept` prefers JSON. */
  errorPages?: Partial<Record<ErrorStatus, ErrorPage>>;
  answers: Success | readonly Success[];
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
const parameter = (name: string) => ({ $ref: `#/components/parameters/${name}` });

const isOfAgent = ({ callers }: Description): boolean => callers.includes('agent');

const errorsOf = (given: Description): Set<ErrorStatus> => {
  const pages = Object.keys(given.errorPages ?? {}).map((status) => Number(status) as ErrorStatus);
  const errors = new Set<ErrorStatus>([...(given.errors ?? []), ...pages, 500, 503]);
  const add = (...statuses: ErrorStatus[]) => {
    for (const status of statuses) errors.add(status);
  };
  if (given.body || given.query || given.isIdempotent) add(400);
  // What makes a POST safe to repeat compares its body, also where nothing is taken from it.
  if (given.body || given.isIdempotent) add(413, 415);
  if (given.bytes) add(400, 413, 415);
  if (given.params) add(404);
  if (given.isIdempotent) add(409, 422);
  if (given.conflict !== undefined) add(409);
  if (given.condition === 'write') add(412);
  // A public key opens one workflow and nothing that it could be forbidden.
  if (isOfAgent(given)) add(401, 404, 429);
  else if (!given.callers.includes('public')) add(401, 403, 429);
  // By Node.js, before it is known whose route it is.
  add(431);
  return errors;
};

const responsesOf = (given: Description): ZodOpenApiResponsesObject => {
  const successes = Array.isArray(given.answers) ? given.answers : [given.answers];
  const isLimited = errorsOf(given).has(429);
  const always = ['X-Request-Id', ...(isLimited ? ['RateLimit', 'RateLimit-Policy'] : [])];
  const responses: Record<string, object> = {};
  for (const {
    status,
    description,
    schema,
    isPage,
    isLines,
    hasStream,
    types,
    example,
    headers = [],
  } of successes as Success[]) {
    const names = [...headers, ...always, ...(given.isIdempotent ? ['Idempotency-Replayed'] : [])];
    responses[status] = {
      description,
      headers: Object.fromEntries(names.map((name) => [name, header(name)])),
      ...(schema && {
        content: {
          'application/json': { schema, example: example ?? exampleOf(schema) },
          ...(hasStream && { 'text/event-stream': { schema: { type: 'string' } } }),
        },
      }),
      ...(isLines && { content: { 'application/x-ndjson': { schema: { type: 'string' } } } }),
      ...(types && { content: bytesOf(types) }),
      ...(isPage && { content: { 'text/html': { schema: { type: 'string' } } } }),
    };
  }
  if (given.condition === 'read') {
    responses[304] = { description: 'Not changed since.', headers: { ETag: header('ETag') } };
  }
  for (const status of [...errorsOf(given)].sort()) {
    const page = given.errorPages?.[status];
    if (page) responses[status] = errorPageResponse(status, page);
    else if (status === 409 && given.conflict !== undefined)
      responses[status] = conflictResponse(given.conflict);
    else
      responses[status] =
        isOfAgent(given) && status !== 431 ? agentErrorResponse(status) : errorResponse(status);
  }
  return responses as ZodOpenApiResponsesObject;
};

/** Bytes have no schema (OpenAPI 3.1, 4.8.14). */
const bytesOf = (types: readonly string[]) => Object.fromEntries(types.map((type) => [type, {}]));

/** An operation of the OpenAPI document: what follows from the kind of route is added here, once. */
export const operation = (given: Description): ZodOpenApiOperationObject => ({
  operationId: given.id,
  tags: [given.tag],
  summary: given.summary,
  description: given.description,
  security: given.callers.flatMap((caller) => SECURITY[caller]),
  requestParams: {
    ...(given.params && { path: z.object(given.params) }),
    ...(given.query && { query: z.object(given.query) }),
  },
  parameters: [
    ...(given.isIdempotent
      ? [parameter(isOfAgent(given) ? 'Agent-Idempotency-Key' : 'Idempotency-Key')]
      : []),
    ...(given.sends ?? []).map(parameter),
    ...(given.condition === 'read' ? [parameter('If-None-Match')] : []),
    ...(given.condition === 'write' ? [parameter('If-Match')] : []),
  ],
  ...(given.body && {
    requestBody: {
      required: !given.isBodyOptional,
      content: {
        'application/json': { schema: given.body, example: given.bodyExample ?? exampleOf(given.body) },
      },
    },
  }),
  ...(given.bytes && { requestBody: { required: true, content: bytesOf(given.bytes.types) } }),
  responses: responsesOf(given),
});

/** The query of every list (docs/contract.md#conventions). */
export const listQuery = {
  limit: z.int().min(1).max(MAX_PAGE_SIZE).default(DEFAULT_LIMIT).optional(),
  cursor: z.string().min(1).max(MAX_CURSOR).optional().meta({
    description:
      'Opaque; it comes in the address of `Link: <…>; rel="next"` only, and any other one, an empty one too, is a 400.',
  }),
  start_date: z.iso.date().optional().meta({ description: 'From this UTC day on.', example: '2026-11-01' }),
  end_date: z.iso
    .date()
    .optional()
    .meta({ description: 'Up to and with this UTC day.', example: '2026-11-30' }),
};

/** The response of a list: a bare array, newest first. */
export const listOf = (schema: z.ZodType): Success => ({
  status: 200,
  description:
    'Newest first; a page ends by `limit` or at 2 MiB. `Link` leads to the next page and is absent on the last.',
  schema: z.array(schema),
  headers: ['Link'],
});

/** The response to a create. */
export const created = (schema: z.ZodType, example?: unknown): Success => ({
  status: 201,
  description: 'Created.',
  schema,
  headers: ['Location', 'ETag'],
  ...(example !== undefined && { example }),
});

/** One object as it stands. */
export const shown = (schema: z.ZodType): Success => ({
  status: 200,
  description: 'The object.',
  schema,
  headers: ['ETag'],
});

export const deleted: Success = { status: 204, description: 'Deleted.' };

/** The uuid of an object in a path. */
export const uuidInPath = () => uuidReference().meta({ example: '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11' });

/** Whether null stands for "not given", as it does for a text that may be left out. */
export const mayBeNull = (field: z.core.$ZodType): boolean => defaultText(field) !== undefined;

/** The body of a PATCH: every field of a POST may be left out, and none has a default. */
export const patchOf = <T extends z.core.$ZodShape>(schema: z.ZodObject<T>, id: string): z.ZodType => {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const inner = (field as z.ZodType) instanceof z.ZodDefault ? (field as z.ZodDefault).unwrap() : field;
    const given = mayBeNull(field) ? z.nullable(inner as z.ZodType) : (inner as z.ZodType);
    return [name, z.optional(given).meta({ example: exampleOf(field) })];
  });
  return z.object(Object.fromEntries(fields)).meta({ id });
};
