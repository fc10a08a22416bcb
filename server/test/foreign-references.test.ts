import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { RIGHTS } from '../src/features/access/rights.ts';
import { type Answer, testApp } from './app.ts';
import { bodyFor, type Fixtures, makeFixtures, pathFor, withQuery } from './fixtures.ts';
import { testMembers } from './members.ts';
import { document, type Operation } from './openapi.ts';
import { secured } from './tenancy-parts.ts';

/**
 * Wherever a query or a body names an object, from the OpenAPI document: one that the caller may not see is answered as one
 * that does not exist (docs/contract.md#conventions, tenancy). What stands in paths is tenancy.test.ts's.
 */

const app = testApp();
const { member } = testMembers(app);

/** What a parameter of that name, or a body's field, refers to. */
const KINDS = {
  'query member': 'member',
  'query object': 'webhook',
  'query room': 'room',
  'query widget': 'widget',
  'query assignee': 'member',
  'query around': 'message',
  'query webhook': 'webhook',
  'body widgets.0': 'widget',
  'body room.uuid': 'room',
  'body assignee': 'member',
  'body uuids.0': 'room',
} as const;
type Kind = (typeof KINDS)[keyof typeof KINDS];

/** Parameters that name nothing, or what anybody may name; and the conversation that a test conversation makes up. */
const PLAIN = new Set(
  (
    'query limit, query start_date, query end_date, query messages_limit, query kind, query action, query status, query tag, ' +
    'query waiting_on, query is_unread, query rating, query order, query q, query state, query event, query group_by, ' +
    'query token, query locale, query all, body state.uuid'
  ).split(', '),
);

/** Where in a body an id stands: `room.uuid`, `uuids.0`. */
const idsIn = (schema: any, at: string[] = [], depth = 0): string[] => {
  if (schema === undefined || depth > 8) return [];
  if (schema.$ref) {
    const parts = schema.$ref.slice(2).split('/');
    return idsIn(
      parts.reduce((node: any, part: string) => node[part], document),
      at,
      depth + 1,
    );
  }
  const inside: [any, string[]][] = [
    ...[...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map(
      (one): [any, string[]] => [one, at],
    ),
    [schema.items, [...at, '0']],
    ...Object.entries(schema.properties ?? {}).map(([name, one]): [any, string[]] => [one, [...at, name]]),
  ];
  const found = inside.flatMap(([one, path]) => idsIn(one, path, depth + 1));
  return [...new Set(schema.format === 'uuid' ? [at.join('.'), ...found] : found)];
};

const schemaOf = ({ path, method }: Operation): unknown =>
  (document.paths as any)?.[path]?.[method.toLowerCase()]?.requestBody?.content?.['application/json']?.schema;

/** All places of the document where an operation that takes a member's credential may name an object. */
const places = secured
  .filter(({ callers }) => callers.includes('Token'))
  .flatMap((operation) =>
    [
      ...operation.query.filter((name) => name !== 'cursor').map((name) => `query ${name}`),
      ...idsIn(schemaOf(operation)).map((at) => `body ${at}`),
    ].map((place) => [operation.id, place, operation] as const),
  );
const references = places.filter(([, place]) => place in KINDS);

it('knows of every parameter what it names', () => {
  expect(places.map(([, place]) => place).filter((place) => !(place in KINDS || PLAIN.has(place)))).toEqual(
    [],
  );
  const found = new Set(references.map(([, place]) => place));
  expect(Object.keys(KINDS).filter((place) => !found.has(place))).toEqual([]);
});

/** Asks with one id in that place, about objects of whoever asks. */
const ask = (
  operation: Operation,
  place: string,
  id: string,
  own: Fixtures,
  token: string,
  isVisitors: boolean,
): Promise<Answer> => {
  const [where, at = ''] = place.split(' ');
  const path = pathFor(operation, own, isVisitors);
  const body = bodyFor(operation, own, isVisitors);
  if (where === 'query') {
    return app.request(operation.method, withQuery(path, `${at}=${id}`), { token, ...(body && { body }) });
  }
  const [first = '', second] = at.split('.');
  const value = second === undefined ? id : second === '0' ? [id] : { [second]: id };
  return app.request(operation.method, path, { token, body: { ...body, [first]: value } });
};

/** What an answer says, but for what each request has of its own. */
const saidBy = ({ status, headers, text }: Answer, id: string) => {
  const {
    date: _,
    'x-request-id': _id,
    'content-length': _length,
    etag: _etag,
    location: _at,
    ...rest
  } = headers;
  const said = status < 300 && status !== 204 ? text.replaceAll(/[\w:.-]*\d[\w:.-]*|"[^"]{30,}"/g, '') : text;
  return { status, headers: rest, text: said.replaceAll(id, 'the id') };
};

/** The objects of an account, by kind. */
const objectsOf = async ({ token, ids, room }: Fixtures): Promise<Record<Kind, string>> => {
  const widgets = (await app.request('GET', '/api/v1/widgets/', { token })).json;
  const first = widgets.find((one: { token: string }) => one.token === ids.widgets);
  const { members, webhooks, messages } = ids as Record<string, string>;
  return {
    member: members ?? '',
    webhook: webhooks ?? '',
    widget: first.uuid,
    room: room.uuid,
    message: messages ?? '',
  };
};

/** All that an account has, as its owner sees it. */
const stateOf = async ({ token }: Fixtures): Promise<string[]> => {
  const lists = ['rooms', 'messages', 'conversations', 'leads', 'widgets', 'members', 'webhooks', 'replies'];
  const answers = await Promise.all(
    lists.map((list) => app.request('GET', `/api/v1/${list}/?limit=200`, { token })),
  );
  return answers.map(({ text }) => text.replaceAll(/"seen_at":("[^"]*"|null)/g, ''));
};

/** Operations on an object inside of another one, by the resource of the inner one. */
const nested = secured
  .filter(({ callers, path }) => callers.includes('Token') && (path.match(/\{/g) ?? []).length > 1)
  .map((operation) => {
    const [, resource = ''] = /(\w+)\/\{\w+\}[^{}]*$/.exec(operation.path) ?? [];
    return [operation.id, resource, operation] as const;
  });

/** Asks about an inner object that is in none of the caller's own outer ones. */
const askInside = (
  operation: Operation,
  resource: string,
  id: string,
  own: Fixtures,
  token: string,
  isVisitors = false,
) => {
  const mixed = {
    ...own,
    ids: { ...own.ids, [resource]: id },
    visitor: { ...own.visitor, ...(resource === 'notes' && { note: id }) },
  };
  const body = bodyFor(operation, own, isVisitors);
  return app.request(operation.method, pathFor(operation, mixed, isVisitors), {
    token,
    ...(body && { body }),
  });
};

describe('what another account has', () => {
  let own: Fixtures;
  let other: Fixtures;
  let theirs: Record<Kind, string>;
  beforeAll(async () => {
    own = await makeFixtures(app);
    other = await makeFixtures(app);
    theirs = await objectsOf(other);
  });

  it.each(references)('%s with %s answers as if it did not exist', async (_, place, operation) => {
    const id = theirs[KINDS[place as keyof typeof KINDS]];
    const none = randomUUID();
    const before = await stateOf(other);
    const known = await ask(operation, place, id, own, own.token, false);
    const unknown = await ask(operation, place, none, own, own.token, false);
    expect(saidBy(known, id)).toEqual(saidBy(unknown, none));
    expect(known.status).toBeLessThan(500);
    for (const mark of [...Object.values(theirs), ...Object.values(other.ids)]) {
      if (mark !== id) expect(known.text).not.toContain(mark);
    }
    expect(await stateOf(other)).toEqual(before);
  });

  it.each(nested)(
    '%s answers 404 for one of its %s in an object of the caller',
    async (_, resource, operation) => {
      const id = other.ids[resource] ?? '';
      expect(id).not.toBe('');
      const before = await stateOf(other);
      const known = await askInside(operation, resource, id, own, own.token);
      expect([known.status, known.json]).toEqual([404, { detail: 'Not found.' }]);
      // What is asked for is all that is missing.
      if (operation.method === 'GET') {
        const { status } = await askInside(operation, resource, own.ids[resource] ?? '', own, own.token);
        expect(status).toBe(200);
      }
      expect(await stateOf(other)).toEqual(before);
    },
  );
});

describe('what is out of the view of an operator who is restricted to a widget', () => {
  let account: Fixtures;
  let theirs: Record<Kind, string>;
  let token = '';
  beforeAll(async () => {
    account = await makeFixtures(app);
    const objects = await objectsOf(account);
    token = (await member(account.token, 'operator', { widgets: [objects.widget] })).token;
    const body = { name: 'Another' };
    const another = (await app.request('POST', '/api/v1/widgets/', { token: account.token, body })).json;
    const { visitor, room } = await app.session(another.token);
    const hi = { body: 'Hi', room: { uuid: room.uuid } };
    const message = (await app.request('POST', '/api/v1/messages/', { visitor, body: hi })).json;
    const path = `/api/v1/conversations/${room.uuid}/`;
    await vi.waitFor(async () => {
      const { status } = await app.request('GET', path, { token: account.token });
      if (status !== 200) throw new Error('a room has got no conversation');
    }, 30_000);
    theirs = { ...objects, widget: another.uuid, room: room.uuid, message: message.uuid };
  });

  const callable = references.filter(
    ([id, place]) => RIGHTS[id]?.[0].includes('operator') && KINDS[place as keyof typeof KINDS] !== 'member',
  );

  it.each(callable)('%s with %s answers as if it did not exist', async (_, place, operation) => {
    const id = theirs[KINDS[place as keyof typeof KINDS]];
    const none = randomUUID();
    const before = await stateOf(account);
    const known = await ask(operation, place, id, account, token, true);
    const unknown = await ask(operation, place, none, account, token, true);
    expect(saidBy(known, id)).toEqual(saidBy(unknown, none));
    expect(known.status).toBeLessThan(500);
    for (const mark of Object.values(theirs)) if (mark !== id) expect(known.text).not.toContain(mark);
    expect(await stateOf(account)).toEqual(before);
  });

  it.each(nested.filter(([id]) => RIGHTS[id]?.[0].includes('operator')))(
    '%s answers 404 for one of %s in an object that it sees',
    async (_, resource, operation) => {
      const id = account.ids[resource] ?? '';
      const known = await askInside(operation, resource, id, account, token, true);
      expect([known.status, known.json]).toEqual([404, { detail: 'Not found.' }]);
    },
  );
});
