import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createRouter } from '../src/app.ts';
import type { Services } from '../src/compose.ts';
import { openApiDocument } from '../src/openapi/document.ts';
import { loadConfig } from '../src/platform/config.ts';
import { createRoutes } from '../src/routes.ts';
import type { TestApp } from './app.ts';
import type { JsonSchema } from './text-fields.ts';

/** Routes that answer with files or pages, or for operators, and are no part of the API's description. */
export const UNDESCRIBED: ReadonlySet<string> = new Set([
  'GET /api/v1/docs',
  'GET /api/v1/docs/icon.svg',
  'GET /api/v1/docs/scalar.js',
  'GET /api/v1/docs/start.js',
  'GET /metrics',
  'GET /confirm-email',
  'POST /confirm-email',
]);

/** What the router knows, as `GET /api/v1/rooms/{}`. */
export const knownRoutes = (services: Services): string[] =>
  createRouter(services)
    .router.stack.flatMap(({ path, methods }) =>
      methods
        .filter((method) => method !== 'HEAD')
        .map((method) => `${method} ${String(path).replace(/:\w+/g, '{}')}`),
    )
    .filter((route) => !UNDESCRIBED.has(route))
    .sort();

/** A parameter of an operation, wherever in the document it is described. */
export interface Parameter {
  in: 'path' | 'query' | 'header' | 'cookie';
  name: string;
  schema: JsonSchema;
}

/** An operation of the document, as the tests go through them. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  callers: readonly ('public' | 'Token' | 'Session' | 'Visitor' | 'AgentKey')[];
  /** The example of its body; undefined when it takes none, or bytes. */
  body: Record<string, unknown> | undefined;
  /** What the document says of that body. */
  schema: JsonSchema | undefined;
  /** The media types of the bytes that it takes instead of JSON. */
  bytes: readonly string[];
  /** What may stand in its path, query and headers. */
  parameters: readonly Parameter[];
  query: readonly string[];
  /** The parameters of the query that it needs, with their examples. */
  needs: Readonly<Record<string, string>>;
  /** Its examples, of what is sent and what is answered. */
  media: readonly Media[];
  /** Where in the document the schema of an answer stands, by status; null for one without a body. */
  answers: Record<string, string | null>;
  /** The media types of an answer, by status; none for one without a body. */
  types: Record<string, readonly string[]>;
  /** The headers of an answer that are described, by status. */
  headers: Record<string, readonly string[]>;
}

export const document = openApiDocument(createRoutes({} as never), loadConfig({}));

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'document');

type Schema = object | undefined;

/** What in a value is not as its schema, a part of the document, says; empty when all is. */
export const mismatches = (schema: Schema, value: unknown): string[] => {
  const validate = ajv.compile(withReferences(schema));
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

/** A schema whose references lead into the document. */
const withReferences = (schema: Schema): object =>
  JSON.parse(JSON.stringify(schema ?? {}).replaceAll('"$ref":"#/', '"$ref":"document#/'));

/** A body or answer as JSON, with its example. */
interface Media {
  at: string;
  schema: Schema;
  example: unknown;
}

const mediaOf = (at: string, { content }: { content?: object }): Media[] => {
  const json = (content as Record<string, { schema?: object; example?: unknown }> | undefined)?.[
    'application/json'
  ];
  return json && 'example' in json ? [{ at, schema: json.schema, example: json.example }] : [];
};

/** The body that an operation takes, or that a webhook gets. */
export const bodyMediaOf = (operation: { requestBody?: object } = {}): Media => {
  const [media] = mediaOf('body', operation.requestBody ?? {});
  if (!media) throw new Error('an operation without a body');
  return media;
};

/** The media types of a response, which may stand among the components. */
const typesOf = (response: object): string[] => {
  const name = '$ref' in response ? String(response.$ref).split('/').at(-1) : undefined;
  const described = name === undefined ? response : document.components?.responses?.[name];
  return Object.keys((described as { content?: object } | undefined)?.content ?? {});
};

const pointer = (...parts: string[]): string =>
  parts.map((part) => `/${part.replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');

/** Follows a reference into the document. */
export const resolved = (reference: string): object =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .reduce((at, part) => at[part.replace(/~1/g, '/').replace(/~0/g, '~')], document as any);

/** The parameters that are described at a path or an operation, or elsewhere. */
const parametersOf = (...described: readonly { parameters?: readonly object[] }[]): Parameter[] =>
  described.flatMap(({ parameters = [] }) =>
    parameters.map((one) => ('$ref' in one ? resolved(String(one.$ref)) : one) as Parameter),
  );

/** The example of a parameter. */
const exampleIn = ({ schema = {}, example = undefined }: { schema?: object; example?: unknown }): string =>
  String(
    example ??
      ('example' in schema
        ? schema.example
        : ('examples' in schema && (schema.examples as unknown[])[0]) || ''),
  );

/** Every operation of the OpenAPI document. */
export const operations: readonly Operation[] = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  (['get', 'post', 'put', 'patch', 'delete'] as const).flatMap((method): Operation[] => {
    const described = item[method];
    if (!described) return [];
    const content =
      described.requestBody && 'content' in described.requestBody ? described.requestBody.content : {};
    const parameters = parametersOf(item as object, described as object);
    return [
      {
        id: described.operationId ?? '',
        method: method.toUpperCase(),
        path,
        callers: (described.security ?? []).map((one) => (Object.keys(one)[0] ?? 'public') as 'public'),
        body: content['application/json']?.example,
        schema: content['application/json']?.schema as JsonSchema | undefined,
        bytes: Object.keys(content).filter((type) => type !== 'application/json'),
        parameters,
        query: parameters.flatMap((given) => (given.in === 'query' ? [given.name] : [])),
        needs: Object.fromEntries(
          (described.parameters ?? []).flatMap((given) =>
            'in' in given && given.in === 'query' && given.required ? [[given.name, exampleIn(given)]] : [],
          ),
        ),
        media: [described.requestBody ?? {}, ...Object.values(described.responses ?? {})].flatMap((given) =>
          mediaOf(`${method} ${path}`, given),
        ),
        answers: Object.fromEntries(
          Object.entries(described.responses ?? {}).map(([status, response]) => [
            status,
            '$ref' in response
              ? `${response.$ref.slice(1)}/content/application~1json/schema`
              : response.content?.['application/json']
                ? pointer('paths', path, method, 'responses', status, 'content', 'application/json', 'schema')
                : null,
          ]),
        ),
        types: Object.fromEntries(
          Object.entries(described.responses ?? {}).map(([status, response]) => [status, typesOf(response)]),
        ),
        headers: Object.fromEntries(
          Object.entries(described.responses ?? {}).map(([status, response]) => [
            status,
            'headers' in response ? Object.keys(response.headers ?? {}) : [],
          ]),
        ),
      },
    ];
  }),
);

/**
 * What needs a provider of OpenID Connect, a mail that has come or a link that was printed, or leaves nobody to ask:
 * oidc.test.ts, password-reset.test.ts, start.test.ts and account-deletion.test.ts try it.
 */
export const BY_OTHERS: ReadonlySet<string> = new Set([
  'startOidc',
  'finishOidc',
  'finishOidcByCode',
  'confirmPasswordReset',
  'startSessionByLink',
  'deleteAccount',
]);

/** What is wrong with an answer by the document; empty when nothing is. */
export const faults = (operation: Operation, status: number, json: unknown): string[] => {
  const pointer = operation.answers[status];
  if (pointer === undefined) return [`${operation.id} does not describe status ${status}`];
  if (pointer === null) return json === undefined ? [] : ['a body where none is described'];
  return mismatches({ $ref: `#${encodeURI(pointer)}` }, json);
};

/** What is wrong with the media type of an answer by the document; empty when nothing is. */
export const typeFaults = (
  { id, types }: Operation,
  status: number,
  type: string | null = null,
): string[] => {
  const [media = ''] = (type ?? '').split(';');
  const described = types[status] ?? [];
  if (media === '' ? described.length === 0 : described.includes(media)) return [];
  return [`${id} does not describe ${media || 'no body'} with status ${status}`];
};

const asPattern = ({ path }: Operation): RegExp =>
  new RegExp(`^${path.replace(/\/$/, '').replace(/\{\w+\}/g, '[^/]+')}/?$`);

/**
 * The operation that a request is for. A path that is written out comes before one with a parameter, also where it has
 * no operation of the method (OpenAPI 3.1, 4.8.8).
 */
export const operationFor = (method: string, url: string): Operation | undefined => {
  const [path = ''] = url.split('?');
  const [nearest] = operations
    .filter((operation) => asPattern(operation).test(path))
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  return operations.find((operation) => operation.path === nearest?.path && operation.method === method);
};

/**
 * The same app, whose every answer is compared with the document.
 * @param found gets what is wrong with an answer
 */
export const comparedWithDocument = (app: TestApp, found: (fault: string) => void): TestApp['request'] => {
  return async (method, path, options) => {
    const answer = await app.request(method, path, options);
    const operation = operationFor(method, path);
    if (operation && answer.text !== '') {
      for (const fault of typeFaults(operation, answer.status, answer.headers['content-type'] ?? null)) {
        found(`${method} ${path} ${answer.status}: ${fault}`);
      }
    }
    const isJson = answer.headers['content-type']?.startsWith('application/json') || answer.text === '';
    if (operation && isJson) {
      for (const fault of faults(operation, answer.status, answer.json)) {
        found(`${method} ${path} ${answer.status}: ${fault} in ${answer.text.slice(0, 500)}`);
      }
    }
    return answer;
  };
};
