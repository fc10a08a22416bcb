import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { encodeCursor } from '../src/http/lists.ts';
import { testApp } from './app.ts';
import { bodyFor, credentialFor, type Fixtures, makeFixtures, pathFor } from './fixtures.ts';
import { BY_OTHERS, document, operations } from './openapi.ts';

/** Whatever bound the OpenAPI document gives a parameter of a query is kept: what is beyond it is a 400. */

const app = testApp();
let fixtures: Fixtures;
beforeAll(async () => {
  fixtures = await makeFixtures(app);
});

interface Bounds {
  type?: string;
  enum?: string[];
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

/** A text of this length (characters), which would be valid if it were shorter. */
const textOf = (name: string, length: number): string =>
  name === 'cursor' ? encodeCursor(new Date(0), randomUUID()).padEnd(length, '~') : 'x'.repeat(length);

const beyond = (name: string, { type, format, minimum, maximum, minLength, maxLength, ...more }: Bounds) => [
  ...(more.enum ? ['x', ''] : []),
  ...(format === undefined ? [] : ['x', '']),
  ...(type === 'integer' ? ['x', '', '1.5', '-1'] : []),
  ...(minimum === undefined ? [] : [String(minimum - 1)]),
  ...(maximum === undefined ? [] : [String(maximum + 1)]),
  ...(minLength === undefined ? [] : ['']),
  ...(maxLength === undefined ? [] : [textOf(name, maxLength + 1)]),
];

const bounded = operations
  .filter(({ id, query }) => query.length > 0 && !BY_OTHERS.has(id))
  .flatMap((operation) => {
    const described = document.paths?.[operation.path] as Record<string, { parameters: object[] }>;
    const parameters = described[operation.method.toLowerCase()]?.parameters as {
      in?: string;
      name: string;
      schema: Bounds;
    }[];
    return parameters
      .filter((parameter) => parameter.in === 'query' && beyond(parameter.name, parameter.schema).length > 0)
      .map(({ name, schema }) => [operation.id, name, { operation, values: beyond(name, schema) }] as const);
  });

it.each(bounded)('%s refuses what is beyond the bounds of %s', async (_, name, { operation, values }) => {
  for (const value of values) {
    const { pathname, searchParams } = new URL(pathFor(operation, fixtures), 'http://127.0.0.1');
    searchParams.set(name, value);
    const body = bodyFor(operation, fixtures);
    const { status, text } = await app.request(operation.method, `${pathname}?${searchParams}`, {
      ...(operation.callers.includes('Token')
        ? { token: fixtures.token }
        : credentialFor(operation, fixtures)),
      ...(body && { body }),
    });
    expect([value, status, text]).toEqual([value, 400, expect.stringContaining(name)]);
  }
});

it('takes a tag of 40 characters, in whatever form of Unicode', async () => {
  const { token } = await app.account();
  const tagged = (tag: string) =>
    app.request('GET', `/api/v1/conversations/?tag=${encodeURIComponent(tag)}`, { token });
  for (const character of ['x', '\u00e9', 'e\u0301', '\u{1f4a1}']) {
    const [taken, refused] = [await tagged(character.repeat(40)), await tagged(character.repeat(41))];
    expect([character, taken.status, taken.json, refused.status]).toEqual([character, 200, [], 400]);
  }
});
