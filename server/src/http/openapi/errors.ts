import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { BODY_LIMIT_BYTES } from '../body-chunks.ts';

const RETRY_AFTER = {
  'Retry-After': { $ref: '#/components/headers/Retry-After' },
} as const;

/**
 * The shapes of errors (docs/contract.md#errors); described here, since they are written by
 * error-responses.ts alone.
 */
export const ERROR_SCHEMAS = {
  Error: {
    type: 'object',
    required: ['detail'],
    properties: {
      detail: { type: 'string' },
      request_id: { type: 'string', description: 'Only with status 500; the same as X-Request-Id.' },
    },
    example: { detail: 'Not found.' },
  },
  FieldErrors: {
    type: 'object',
    description: 'What is wrong with each field; `non_field_errors` holds what is wrong with none alone.',
    additionalProperties: { $ref: '#/components/schemas/FieldProblem' },
    example: { email: ['Enter a valid email address.'] },
  },
  FieldProblem: {
    type: ['array', 'object'],
    description: 'What is wrong with a field, or with those inside it.',
    items: { type: 'string' },
    additionalProperties: { $ref: '#/components/schemas/FieldProblem' },
  },
  Problem: {
    type: 'object',
    description: 'The same errors by RFC 9457, when `Accept` prefers `application/problem+json`.',
    required: ['type', 'title', 'status', 'detail'],
    properties: {
      type: { type: 'string', example: 'about:blank' },
      title: { type: 'string', example: 'Bad Request' },
      status: { type: 'integer', example: 400 },
      detail: { type: 'string', example: 'Invalid input.' },
      errors: { $ref: '#/components/schemas/FieldErrors' },
      request_id: { type: 'string' },
    },
  },
  AgentError: {
    type: 'object',
    description: 'Every error of the agent API (specification 7).',
    required: ['error'],
    properties: { error: { type: 'string' }, request_id: { type: 'string' } },
    example: { error: 'Workflow not found or not published.' },
  },
} as const;

/** The errors that routes answer, by status. */
const ERRORS: Record<number, { description: string; detail: string; headers?: object }> = {
  400: { description: 'The input is wrong.', detail: 'JSON parse error - unexpected end at position 1' },
  401: {
    description: 'No credentials, or wrong ones.',
    detail: 'Authentication credentials were not provided.',
    headers: { 'WWW-Authenticate': { schema: { type: 'string' }, example: 'Token' } },
  },
  403: {
    description: 'The credentials do not open this.',
    detail: 'You do not have permission to perform this action.',
  },
  404: { description: "No such object, or another account's.", detail: 'Not found.' },
  409: {
    description:
      'The first request with this Idempotency-Key is still running: try again after `Retry-After`. Without that header what it is about has ended or was deleted, and trying again changes nothing.',
    detail: 'A request with this Idempotency-Key is still running. Try again.',
    headers: RETRY_AFTER,
  },
  412: {
    description: 'If-Match does not name the object as it stands.',
    detail: 'The object has changed since: If-Match does not name its ETag.',
  },
  413: {
    description: 'The body is too large.',
    detail: `Request body is larger than ${BODY_LIMIT_BYTES} bytes.`,
  },
  415: {
    description: 'The body is of a type that is not taken, or it is compressed and no credential was shown.',
    detail: 'Unsupported media type "text/plain" in request.',
  },
  422: {
    description: 'The Idempotency-Key was used for another request.',
    detail: 'Idempotency-Key was already used for another request.',
  },
  429: {
    description: 'Too many requests.',
    detail: 'Request was throttled. Expected available in 12 seconds.',
    headers: {
      ...RETRY_AFTER,
      RateLimit: { $ref: '#/components/headers/RateLimit' },
      'RateLimit-Policy': { $ref: '#/components/headers/RateLimit-Policy' },
    },
  },
  500: { description: 'A defect of the server.', detail: 'Internal server error.' },
  503: {
    description:
      'The database is not reachable, did not answer in time, or its disk is full; or too much is being sent at once.',
    detail: 'The database is not reachable. Try again.',
    headers: RETRY_AFTER,
  },
};

const jsonOf = (status: number, detail: string) =>
  status === 400
    ? {
        schema: {
          oneOf: [{ $ref: '#/components/schemas/FieldErrors' }, { $ref: '#/components/schemas/Error' }],
        },
        examples: {
          fields: { value: { email: ['Enter a valid email address.'] } },
          body: { value: { detail } },
        },
      }
    : {
        schema: { $ref: '#/components/schemas/Error' },
        example: status === 500 ? { detail, request_id: '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11' } : { detail },
      };

const contentOf = (status: number, detail: string) => ({
  'application/json': jsonOf(status, detail),
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
});

/** The responses of the errors, for components. */
export const ERROR_RESPONSES: Record<string, ZodOpenApiResponseObject> = {
  ...Object.fromEntries(
    Object.entries(ERRORS).map(([status, { description, detail, headers }]) => [
      `Error${status}`,
      {
        description,
        headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' }, ...headers },
        content: contentOf(Number(status), detail),
      } as ZodOpenApiResponseObject,
    ]),
  ),
  Error431: { description: 'The headers of the request are larger than 16 KiB; without a body.' },
};

export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 412 | 413 | 415 | 422 | 429 | 431 | 500 | 503;

/** An error's response in an operation. */
export const errorResponse = (status: ErrorStatus, description?: string) => ({
  $ref: `#/components/responses/Error${status}`,
  ...(description && { description }),
});

/** A 409 that is no matter of time: what stands in the way, as the response says it. */
export const conflictResponse = (detail: string) => ({
  description: `${detail} Trying again changes nothing.`,
  headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
  content: contentOf(409, detail),
});

/** What the agent API says where the main API says something else (docs/contract.md#agent-api). */
const AGENT_DETAILS: Partial<Record<ErrorStatus, string>> = {
  400: 'metadata must be an object of strings.',
  401: 'Missing API key. Include X-API-Key header.',
  404: 'Workflow not found or not published.',
  409: 'Conversation has ended.',
  500: 'Workflow does not have a Start node configured.',
};

/** An error's response in an operation of the agent API. */
export const agentErrorResponse = (status: ErrorStatus) => {
  const { description, detail, headers } = ERRORS[status] ?? { description: '', detail: '' };
  return {
    description,
    headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' }, ...headers },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/AgentError' },
        example: { error: AGENT_DETAILS[status] ?? detail },
      },
    },
  };
};

/** What is said of an error that is a page: when it comes, and an example of its text. */
export interface ErrorPage {
  description: string;
  detail: string;
}

/** An error's response in an operation that a browser goes to: a page, unless `Accept` prefers JSON. */
export const errorPageResponse = (status: ErrorStatus, { description, detail }: ErrorPage) => ({
  description,
  headers: {
    'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
    // A browser sends no Idempotency-Key that it could wait for.
    ...(status !== 409 && ERRORS[status]?.headers),
  },
  content: { 'text/html': { schema: { type: 'string' } }, ...contentOf(status, detail) },
});
