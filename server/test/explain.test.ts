import type { CommandStartedEvent } from 'mongodb';
import { expect, it } from 'vitest';
import { SearchCursor } from '../src/features/search/search-cursor.ts';
import { testApp } from './app.ts';
import { bodyFor, isSpoiling, makeFixtures, pathFor, withQuery } from './fixtures.ts';
import { testMembers } from './members.ts';
import { operations } from './openapi.ts';

/** Every query that a route makes is served by an index and sorted by it. */

const PLENTY = '100000';
const METRICS_TOKEN = 'a-token-for-the-tests';
const app = testApp({
  METRICS_TOKEN,
  RATE_LIMIT: 'on',
  RATE_LIMIT_REGISTER: PLENTY,
  RATE_LIMIT_SIGN_IN: PLENTY,
  RATE_LIMIT_SESSIONS: PLENTY,
  RATE_LIMIT_VISITOR_IP: PLENTY,
  RATE_LIMIT_VISITOR_READS_IP: PLENTY,
  RATE_LIMIT_AGENT_START_IP: PLENTY,
});

const UUID = '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11';

const EXPLAINED = new Set(['find', 'aggregate', 'count', 'distinct', 'findAndModify', 'update', 'delete']);

/** What the driver adds to a command, which explain does not take. */
const ENVELOPE = [
  'lsid',
  '$db',
  '$clusterTime',
  'txnNumber',
  'writeConcern',
  'readPreference',
  '$readPreference',
];

/** Two commands of one shape have one plan: their values are left out. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (value === null || typeof value !== 'object' || value instanceof Date) return '?';
  // A subdocument of mongoose knows its parent, which is not sent.
  if ('toBSON' in value) return shapeOf((value.toBSON as () => unknown)());
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
};

/** Not a route's: the relay's search for what was left behind, the list of the few server processes, and leases of hosts that none of them has. */
const isBackground = ({ command }: CommandStartedEvent): boolean =>
  command.find === 'webhooksenders' ||
  (command.find === 'webhookorigins' && '$nin' in Object(command.filter?.owner)) ||
  (command.filter && 'events.at' in command.filter);

const commands = (event: CommandStartedEvent): Record<string, unknown>[] => {
  const command = Object.fromEntries(
    Object.entries(event.command).filter(([name]) => !ENVELOPE.includes(name)),
  );
  // A command with many writes is explained one by one.
  for (const list of ['updates', 'deletes']) {
    const writes = command[list];
    if (Array.isArray(writes)) return writes.map((write) => ({ ...command, [list]: [write] }));
  }
  return [command];
};

const stagesOf = (plan: unknown): string[] => {
  if (typeof plan !== 'object' || plan === null) return [];
  return Object.entries(plan).flatMap(([name, inner]) =>
    name === 'rejectedPlans' || name === 'command'
      ? []
      : name === 'stage' && typeof inner === 'string'
        ? [inner]
        : stagesOf(inner),
  );
};

it('no query of a route scans a collection or sorts in memory', { timeout: 300_000 }, async () => {
  const { connection } = app.services;
  const client = connection.getClient();
  const seen = new Map<string, Record<string, unknown>>();
  const listen = (event: CommandStartedEvent) => {
    if (!EXPLAINED.has(event.commandName) || event.databaseName !== connection.name) return;
    if (isBackground(event)) return;
    for (const command of commands(event)) {
      const collection = command[event.commandName];
      const shape = JSON.stringify([event.commandName, collection, shapeOf(command)]);
      if (!seen.has(shape)) seen.set(shape, command);
    }
  };
  client.on('commandStarted', listen);

  const today = new Date().toISOString().slice(0, 10);
  const read = await makeFixtures(app);
  const written = await makeFixtures(app);
  for (const operation of operations) {
    const own = operation.method === 'GET' ? read : written;
    const fixtures = isSpoiling(operation) ? await makeFixtures(app) : own;
    const body = bodyFor(operation, fixtures);
    const path = pathFor(operation, fixtures);
    const send = (query = '', more = {}) =>
      app.request(operation.method, withQuery(path, query.slice(1)), {
        token: fixtures.token,
        ...(body && { body }),
        ...more,
      });
    if (operation.method !== 'GET') {
      await send('', { headers: { 'idempotency-key': operation.id } });
      continue;
    }
    await send();
    if (!operation.query.includes('cursor')) continue;
    const filters = [
      `start_date=${today}`,
      `end_date=${today}`,
      `start_date=${today}&end_date=${today}`,
      `cursor=${Buffer.from(JSON.stringify([Date.now(), 'ff'])).toString('base64url')}`,
      `cursor=${Buffer.from(JSON.stringify([Date.now(), 'ff'])).toString('base64url')}&start_date=${today}`,
      `room=${fixtures.room.uuid}`,
      `webhook=${fixtures.ids.webhooks}`,
      `widget=${UUID}`,
      'state=pending',
      'event=chat.added',
      `webhook=${fixtures.ids.webhooks}&state=failed&event=chat.added`,
      ...['', `member=${UUID}&`].flatMap((member) =>
        ['kind=widget', 'action=createWidget', `object=${UUID}`].map((filter) => member + filter),
      ),
      `member=${UUID}&start_date=${today}`,
    ];
    for (const filter of filters) await send(`?${filter}`);
  }
  const fixtures = await makeFixtures(app);
  const widgets = [];
  for (let n = 0; n < 2; n++) {
    const made = await app.request('POST', '/api/v1/widgets/', { token: fixtures.token });
    widgets.push(made.json.uuid);
  }
  const operator = await testMembers(app).member(fixtures.token, 'operator', { widgets });
  const restricted = (path: string) => app.request('GET', path, { token: operator.token });
  const cursor = Buffer.from(JSON.stringify([Date.now(), 'ff'])).toString('base64url');
  for (const list of ['rooms', 'messages', 'leads', 'widgets', 'members', 'sightings']) {
    for (const filter of ['', `start_date=${today}&end_date=${today}`, `cursor=${cursor}`]) {
      await restricted(`/api/v1/${list}/?${filter}`);
    }
  }
  await restricted(`/api/v1/rooms/${fixtures.room.label}/`);
  // Each filter of conversations by itself, and all of them together, in both orders and on a later page.
  const { widget } = (await restricted('/api/v1/conversations/')).json[0] ?? { widget: widgets[0] };
  const narrowing = [
    '',
    ...['status=done', 'status=open', 'assignee=none', 'assignee=me', `widget=${widget}`, 'tag=vip'],
    ...[
      'waiting_on=us',
      'waiting_on=us&status=open',
      'waiting_on=visitor',
      'is_unread=true',
      'is_unread=false',
    ],
    'rating=5',
    `status=open&assignee=me&widget=${widget}&tag=vip&waiting_on=us&is_unread=true&rating=5`,
  ];
  for (const filter of narrowing) {
    for (const order of ['waiting', 'updated', `waiting&cursor=${cursor}`, `updated&cursor=${cursor}`]) {
      const path = `/api/v1/conversations/?${filter}&order=${order}`;
      expect((await restricted(path)).status).toBe(200);
      expect((await app.request('GET', path, { token: fixtures.token })).status).toBe(200);
    }
  }
  // A timeline in both directions, from an entry of each kind and of none.
  const timeline = `/api/v1/conversations/${fixtures.room.uuid}/timeline/`;
  const readTimeline = (query: string) =>
    app.request('GET', `${timeline}?${query}`, { token: fixtures.token });
  const [entry] = (await readTimeline('')).json;
  const newer = Buffer.from(JSON.stringify([0, 'ff', 'newer'])).toString('base64url');
  for (const query of [`around=${entry.uuid}`, `around=${entry.uuid}&limit=1`, `cursor=${newer}`]) {
    expect((await readTimeline(query)).status).toBe(200);
  }
  expect((await readTimeline(`around=${UUID}`)).status).toBe(400);
  await restricted('/api/v1/conversations/counts/');
  for (const query of ['', `?widget=${widget}`]) {
    const path = `/api/v1/conversations/stats/${query}`;
    expect((await restricted(path)).status).toBe(200);
    expect((await app.request('GET', path, { token: fixtures.token })).status).toBe(200);
  }
  // What is sealed, by words that the index has and by one that is too short.
  const account = (await app.services.accounts.byUsername(fixtures.username))?._id ?? '';
  await app.services.earlierObjects.request(account);
  await app.services.earlierObjects.sweep(new Date(Date.now() + 3_600_000));
  const later = new SearchCursor(app.services.secrets).seal(account, 'f'.repeat(44));
  for (const q of ['hello', 'hi', 'hello canary']) {
    for (const more of ['', '&kind=lead', `&cursor=${later}`]) {
      const path = `/api/v1/search/?q=${q}${more}`;
      expect((await app.request('GET', path, { token: fixtures.token })).status).toBe(200);
      await restricted(path);
    }
  }
  await app.request('DELETE', `/api/v1/widgets/${fixtures.ids.widgets}/`, { token: fixtures.token });
  for (const group of ['user', 'day', 'device', 'referrer', 'from_page_title', 'widget']) {
    const { token } = await makeFixtures(app);
    await app.request('GET', `/api/v1/leads/stats/?group_by=${group}`, { token });
    await restricted(`/api/v1/leads/stats/?group_by=${group}`);
  }
  // What only the way back from a provider asks for.
  const { acceptance, members, memberSessions, membersForMail, passwordResets } = app.services;
  const { token } = await makeFixtures(app);
  const email = 'invited@example.com';
  await app.request('POST', '/api/v1/members/', { token, body: { email } });
  const [invited] = await acceptance.of(email);
  if (invited) await acceptance.byAddress(invited, email);
  const accepted = await members.byUsername(email);
  if (accepted) await memberSessions.isFresh(accepted, 'a session');
  // What only a mail leads to.
  if (accepted) {
    const path = await passwordResets.issue(accepted, 'a mail');
    const chosen = { password: 'quite another secret', password2: 'quite another secret' };
    const action = { name: 'confirmPasswordReset', address: '' };
    await passwordResets.confirm({ token: path.split('=')[1] ?? '', ...chosen }, action);
    await membersForMail.invited(accepted.account, accepted._id);
  }
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  expect((await app.request('GET', '/metrics', { headers })).status).toBe(200);
  await app.services.roomDeletion.resume(new Date(Date.now() + 100_000));
  await app.services.roomWidgets.sweep();
  await app.services.releases.sweep();
  client.off('commandStarted', listen);

  const bad: object[] = [];
  for (const [shape, command] of seen) {
    const plan = await connection.db?.command({ explain: command, verbosity: 'queryPlanner' });
    const stages = stagesOf(plan);
    // The groups of a statistic are counted first, and are few: they have no index that could sort them. So is what is unread.
    const isFew = shape.includes('$group') || Object.hasOwn(Object(command.hint), 'unread');
    if (stages.includes('COLLSCAN') || (stages.includes('SORT') && !isFew)) bad.push({ shape, stages });
  }
  expect(seen.size).toBeGreaterThan(40);
  expect(bad).toEqual([]);
});
