import type { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { eventWebhooks, moveBodies } from '../features/webhooks/events.openapi.ts';
import { ERROR_RESPONSES, ERROR_SCHEMAS } from '../http/openapi/errors.ts';
import { mayBeNull, operation } from '../http/openapi/operation.ts';
import type { Route } from '../http/route.ts';
import type { Config } from '../platform/config.ts';
import { VERSION } from '../platform/version.ts';
import { typesInOne } from './one-type.ts';

/** What the document says of routes, by path and method, in the order of the list. */
const pathsOf = (routes: readonly Route[]): ZodOpenApiPathsObject => {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return paths;
};

/** What the routes are grouped by, in the order of the specification. */
const TAGS = {
  Account: 'Register, and get the token that every other route of an account needs.',
  Members: 'The people of your account, each with a token and a role of their own.',
  Audit: 'Who changed what, when, and from where.',
  Rooms: 'Conversations, as what is said in them.',
  Messages: 'What either side of a conversation wrote.',
  Conversations: 'Rooms as members work on them: what waits, and who takes care of it.',
  'Saved replies': 'Texts that members send again and again.',
  'Keyword notifications': 'Raised when a customer’s message mentions a keyword.',
  Keywords: 'The words to be told of.',
  Search: 'Conversations, messages, leads and notes by their words.',
  Leads: 'Who left word of themselves.',
  Webhooks: 'What happens is posted to an address of yours, signed by Standard Webhooks.',
  Deliveries: 'What was sent to webhooks, and what came of it.',
  Widgets: 'The settings of the chat on a site.',
  Visitors: 'What the widget calls from a customer’s page, without a secret.',
  Workflows: 'What an agent says and does.',
  Agent: 'The public agent API: conversations with a published workflow.',
  Operation: 'For whoever runs the server.',
};

const header = (description: string, example: string) => ({
  description,
  schema: { type: 'string' as const },
  example,
});

const inHeader = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  required: false,
  ...header(description, example),
});

const CLIENT = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae';

const ETAG = '"1bWc0UqVx0pT6cJ9d3y1Ow2nQkE"';

interface JsonSchema {
  type?: string | string[];
  format?: string;
  pattern?: string;
  additionalProperties?: unknown;
  readOnly?: boolean;
}

interface Rendered {
  jsonSchema: JsonSchema;
  zodSchema: z.core.$ZodType;
  io: 'input' | 'output';
}

type Settings = Pick<Config, 'PUBLIC_URL' | 'WEBHOOK_RETRY_DELAYS' | 'WEBHOOK_TIMEOUT'>;

const PATTERNED_FORMATS = ['date', 'date-time', 'uuid'];

/**
 * Leaves out what a format says already, with a pattern over leap years, and patterns that only tools with Unicode read.
 * For a text that may be left out null is as good. That unknown properties are possible is what JSON Schema takes for granted; and what only the server writes is in no
 * schema of a request to it, but in those of its own requests to webhooks.
 */
const simplify = ({ jsonSchema, zodSchema, io }: Rendered): void => {
  const { format = '', pattern = '', additionalProperties } = jsonSchema;
  if (PATTERNED_FORMATS.includes(format) || pattern.includes('\\p{')) delete jsonSchema.pattern;
  delete jsonSchema.readOnly;
  if (io === 'input' && jsonSchema.type === 'string' && mayBeNull(zodSchema)) {
    jsonSchema.type = ['string', 'null'];
  }
  if (additionalProperties === true) delete jsonSchema.additionalProperties;
};

/** What this server does, as OpenAPI 3.1, made from the routes and the schemas that check requests. */
export const openApiDocument = (
  routes: readonly Route[],
  config: Settings,
): ReturnType<typeof createDocument> => {
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Parlor',
        version: VERSION,
        contact: { name: 'Whoever runs this server' },
        license: { name: 'MIT', identifier: 'MIT' },
        description:
          'Rooms, messages, leads, keyword notifications, webhooks and widgets. Paths work with and without the slash at their end. Unknown and read-only fields in a body are ignored; a field of the wrong type is refused, never converted. For a text that may be left out null means its default. Texts are normalised to NFC; more than 30 combining marks in a row are refused. A body may be compressed (gzip, deflate, br) where a credential goes with it.',
      },
      servers: [{ url: config.PUBLIC_URL || '/' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      paths: pathsOf(routes),
      webhooks: eventWebhooks(config),
      components: {
        schemas: ERROR_SCHEMAS as never,
        responses: ERROR_RESPONSES,
        headers: {
          'X-Request-Id': header(
            'The id of this request in the log.',
            '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11',
          ),
          ETag: header('The version of the object, for If-Match and If-None-Match.', ETAG),
          Location: header(
            'The address of the new object.',
            'https://chat.example.com/api/v1/rooms/spring-sale/',
          ),
          Link: header('RFC 8288: the next page; absent on the last.', '<https://…?cursor=…>; rel="next"'),
          'Set-Cookie': header(
            'The session’s cookie, which a sign-out empties; from a sign-in by password another line has that of the browser.',
            '__Host-parlor=V1StGXR8Z5jdHi6Bw0pV1StGXR8Z5jdHi6Bw0pV1StG; path=/; secure; httponly; samesite=strict',
          ),
          RateLimit: header(
            'How many requests are left, and when the window ends (seconds).',
            '"api";r=1199;t=60',
          ),
          'RateLimit-Policy': header('The limit and its window (seconds).', '"api";q=1200;w=60'),
          'Retry-After': header('Seconds to wait.', '12'),
          'Parlor-Client': header(
            'The secret of the conversation, for `Parlor-Client` beside an `Idempotency-Key` of its messages.',
            CLIENT,
          ),
          'Idempotency-Replayed': header(
            '`true` when this is the response to an earlier equal request.',
            'true',
          ),
        },
        parameters: {
          'Idempotency-Key': {
            ...inHeader(
              'Idempotency-Key',
              '1 to 255 printable characters: the same request with the same key is done once and answered the same for 24 hours. Messages and notes are made once for good under a UUID of version 7.',
              '7d1f0f0e-order-1234',
            ),
            schema: { type: 'string' as const, minLength: 1, maxLength: 255 },
          },
          'Agent-Idempotency-Key': inHeader(
            'Idempotency-Key',
            'The same request with the same key is done once and answered the same for 24 hours. Since all callers have the same `X-API-Key`, it must be a random UUID (version 4), or, for messages, any 1 to 255 printable characters together with `Parlor-Client`; another one is a 400.',
            '5f0c8a52-3d0e-4f6b-9a53-6c1f7a0f2b9e',
          ),
          'Parlor-Client': inHeader(
            'Parlor-Client',
            'The secret of the conversation, from the header of the response to its start: it tells its sender from others with the same `X-API-Key`.',
            CLIENT,
          ),
          'Last-Event-ID': inHeader(
            'Last-Event-ID',
            'The `id` of the last event that came of the stream that answers this message: it goes on behind that one. That of another message says nothing.',
            '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11.0.4',
          ),
          'If-None-Match': inHeader(
            'If-None-Match',
            'Answers 304 when the object still has that ETag.',
            ETAG,
          ),
          'If-Match': inHeader(
            'If-Match',
            'Does it only when the object still has that ETag, else 412.',
            ETAG,
          ),
        },
        securitySchemes: {
          Token: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'The word `Token`, a space, and the API token of an account.',
          },
          Session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-parlor',
            description:
              'The session of a member in a browser, whose name is `parlor` over http on this machine. What it changes has to come from this server’s own pages. With `Parlor-Member`, the uuid of the member whose page asks, it counts for that member only: else 403.',
          },
          Visitor: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'The word `Visitor`, a space, and the token of a visitor’s session.',
          },
          AgentKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-API-Key',
            description: 'The public key of a workflow: it begins with `pk_live_`.',
          },
        },
      },
    },
    { override: simplify },
  );
  moveBodies(document.webhooks);
  typesInOne(document, document.components?.schemas ?? {});
  return document;
};
