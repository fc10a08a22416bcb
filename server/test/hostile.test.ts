import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { type RequestOptions, testApp } from './app.ts';
import { bodyFor, credentialFor, type Fixtures, makeFixtures, pathFor, withQuery } from './fixtures.ts';
import { chooser } from './hostile-texts.ts';
import { comparedWithDocument, operations } from './openapi.ts';

/**
 * Seeded hostile requests, made from the OpenAPI document: no 5xx, no foreign object, and the server healthy
 * afterwards. HOSTILE_SEED repeats a run, HOSTILE_REQUESTS makes it longer (to 20 000 before a release).
 */

const SEED = Number(process.env.HOSTILE_SEED ?? 1);
const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 1_200);
const AT_ONCE = 8;
const FRESH_OBJECTS_EVERY = 400;

const app = testApp();
const SECRET = `secret-${randomUUID()}`;
let victim: Fixtures;

beforeAll(async () => {
  victim = await makeFixtures(app);
  const { token, room } = victim;
  await app.request('PATCH', `/api/v1/rooms/${room.label}/`, { token, body: { name: SECRET } });
  await app.request('POST', '/api/v1/leads/', { token, body: { nickname: SECRET } });
});

const nested = (depth: number): unknown => (depth === 0 ? 1 : { deeper: [nested(depth - 1)] });

const values = (): unknown[] => [
  null,
  true,
  0,
  -1,
  -0,
  1.5,
  2 ** 53,
  1e308,
  '',
  ' ',
  '\0',
  '\ud800',
  '5',
  'x'.repeat(400),
  '😀'.repeat(5_000),
  '<script>alert(1)</script>',
  "'; DROP TABLE rooms; --",
  '../../../../etc/passwd',
  '{{constructor}}',
  'http://127.0.0.1:1/',
  'javascript:alert(1)',
  '$where',
  [],
  [[[]]],
  {},
  { $gt: '' },
  { $ne: null },
  { $where: 'sleep(1000)' },
  { $regex: '.*' },
  { uuid: { $gt: '' } },
  { uuid: victim.room.uuid },
  victim.room.uuid,
  victim.ids.leads,
  JSON.parse('{"__proto__":{"is_admin":true}}'),
  { constructor: { prototype: { polluted: true } } },
  nested(20),
  nested(70),
  Array.from({ length: 2_000 }, () => 1),
];

const EXTRA_FIELDS = [
  '__proto__',
  'constructor',
  'toString',
  '_id',
  'account',
  'version',
  'events',
  'uuid',
  '$set',
  'a.b',
  '',
];
const BROKEN_BODIES = [
  '',
  '{',
  '[',
  'nul',
  '{"a":1e9999}',
  '\ufeff{}',
  '{"a":\u0001}',
  '[1,]',
  'NaN',
  '""',
  '0',
];
const SEGMENTS = [
  '%00',
  '%E0%A4%A',
  '..%2f..',
  '$ne',
  '%24gt',
  '-',
  '%F0%9F%98%80',
  'x'.repeat(3_000),
  '__proto__',
  '%0d%0aX: y',
];
const QUERIES = [
  'limit[$gt]=1',
  'limit=1e3',
  'cursor=%00',
  'cursor=W251bGwsbnVsbF0',
  'cursor=WzEseyIkZ3QiOiIifV0',
  'start_date[]=2026-01-01',
  'start_date=-271821-04-20',
  'room[uuid]=1',
  'token[$ne]=1',
  'token=__proto__',
  '__proto__[x]=1',
  'messages_limit=1e9',
  'group_by=constructor',
  'webhook=$ne',
  'a=%',
  '&&&==&',
];
const HEADERS: Record<string, string>[] = [
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'text/html' },
  { 'content-type': '' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'br' },
  { 'if-match': '"' },
  { 'if-match': ',,,' },
  { 'if-none-match': 'W/' },
  { 'idempotency-key': '' },
  { 'idempotency-key': 'same' },
  { accept: ';;q=x,application/problem+json' },
  { accept: 'application/problem+json' },
  { origin: 'null' },
  { origin: 'http://[::1' },
  { host: '[' },
  { host: 'a b' },
  { 'x-forwarded-for': 'nonsense' },
  { authorization: 'Token {"$gt":""}' },
  { authorization: 'Visitor v1.x.y.z' },
  { authorization: `Visitor v1.${'0'.repeat(36)}.zzzzzzzz.${'0'.repeat(64)}` },
];

it(`${REQUESTS} hostile requests, seed ${SEED}`, { timeout: 600_000 }, async () => {
  const { next, below, pick } = chooser(SEED);
  let own = await makeFixtures(app);

  /** Bytes with some changed, cut off or added; and some as they are. */
  const broken = (bytes: Buffer): Buffer => {
    const changed = Buffer.from(bytes);
    for (let changes = below(4); changes > 0; changes--) changed[below(changed.length)] = below(256);
    return next() < 0.5 ? changed : Buffer.concat([changed.subarray(0, below(changed.length)), bytes]);
  };

  const request = () => {
    const operation = pick(operations);
    const asVisitor = operation.callers.includes('Visitor') && next() < 0.4;
    const isAgents = operation.callers.includes('AgentKey');
    const options: RequestOptions = isAgents
      ? credentialFor(operation, own)
      : asVisitor
        ? { visitor: own.visitor.token }
        : { token: own.token };
    let path = pathFor(operation, next() < 0.85 ? own : victim, asVisitor);
    if (next() < 0.15) path = path.replace(/[^/]+(\/?)$/, `${pick(SEGMENTS)}$1`);
    if (next() < 0.3) path = withQuery(path, pick(QUERIES));
    let body: unknown = bodyFor(operation, own, asVisitor);
    if (Buffer.isBuffer(body)) body = broken(body);
    else if (body !== undefined && next() < 0.9) {
      const fields = { ...(body as Record<string, unknown>) };
      for (let changes = 1 + below(3); changes > 0; changes--) {
        const name = next() < 0.75 ? pick(Object.keys(fields)) : pick(EXTRA_FIELDS);
        Object.defineProperty(fields, name ?? 'x', {
          value: pick(values()),
          enumerable: true,
          configurable: true,
          writable: true,
        });
      }
      body = fields;
    }
    if (next() < 0.1) body = pick(values());
    if (next() < 0.1) body = pick(BROKEN_BODIES);
    if (next() < 0.03) body = Buffer.from(Array.from({ length: 1 + below(200) }, () => below(256)));
    if (body !== undefined) options.body = body;
    if (next() < 0.25) options.headers = { ...options.headers, ...pick(HEADERS) };
    const method =
      next() < 0.05
        ? pick(['GET', 'PUT', 'DELETE', 'PATCH', 'POST', 'HEAD', 'OPTIONS', 'PROPFIND'])
        : operation.method;
    return { method, path, options };
  };

  const undocumented = new Set<string>();
  const compared = comparedWithDocument(app, (fault) => undocumented.add(fault));
  const statuses = new Map<number, number>();
  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
    // A token that was made anew, and an account that was deleted, would have all that follows refused.
    const { status } = await app.request('GET', '/api/v1/account/', { token: own.token });
    if (status === 401 || sent % FRESH_OBJECTS_EVERY === 0) own = await makeFixtures(app);
    const batch = Array.from({ length: AT_ONCE }, request);
    await Promise.all(
      batch.map(async ({ method, path, options }) => {
        const answer = await compared(method, path, options);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const told = { method, path, options, status: answer.status, text: answer.text.slice(0, 300) };
        // A test delivery or an unreachable target is told of in a 200; there is no 5xx for any input.
        if (answer.status >= 500) expect(told).toBe('no 5xx');
        if (answer.text.includes(SECRET)) expect(told).toBe('nothing of another account');
      }),
    );
  }

  expect([...undocumented]).toEqual([]);
  expect((await app.request('GET', '/readyz')).status).toBe(200);
  expect(
    ({} as Record<string, unknown>).is_admin ?? ({} as Record<string, unknown>).polluted,
  ).toBeUndefined();
  const { token, ids, room } = victim;
  const shown = await app.request('GET', `/api/v1/rooms/${room.label}/`, { token });
  expect([shown.status, shown.json.name, shown.json.messages.length]).toEqual([200, SECRET, 1]);
  for (const [resource, id] of Object.entries(ids)) {
    const isElsewhere = / by |^(rooms|widgets|sessions|tokens|notes|versions)$/.test(resource);
    if (isElsewhere) continue;
    expect((await app.request('GET', `/api/v1/${resource}/${id}/`, { token })).status).toBe(200);
  }
  // The requests reached the code behind the checks, too, and not only the checks.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(REQUESTS / 50);
  expect(statuses.get(400) ?? 0).toBeGreaterThan(REQUESTS / 10);
});
