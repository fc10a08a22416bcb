import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testAgent } from '../../../test/agent.ts';
import { testApp } from '../../../test/app.ts';

const app = testApp({
  RATE_LIMIT: 'on',
  RATE_LIMIT_API: '100000',
  RATE_LIMIT_ROOMS_DAY: '3',
});

describe('an account', () => {
  it.each([
    ['webhooks', 50, (n: number) => ({ event: 'chat.added', target: `https://example.com/${n}` })],
    ['widgets', 100, () => ({})],
    ['workflows', 100, () => ({ name: 'One', nodes: [{ id: 's', type: 'start' }] })],
  ] as const)('has a limited number of %s, also when they are made at once', async (what, limit, body) => {
    const { token } = await app.account();
    const make = (n: number, headers = {}) =>
      app.request('POST', `/api/v1/${what}/`, { token, body: body(n), headers });
    const before = what === 'widgets' ? 1 : 0;
    for (let n = before; n < limit - 4; n += 12) {
      await Promise.all(Array.from({ length: Math.min(12, limit - 4 - n) }, (_, m) => make(n + m)));
    }
    const key = { 'idempotency-key': 'the-last' };
    expect((await make(900, key)).status).toBe(201);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => make(1_000 + n)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array(9).fill(400)]);
    expect(answers.find(({ status }) => status === 400)?.json).toEqual({
      non_field_errors: [`An account may have at most ${limit} ${what}.`],
    });
    // A repeated request finds what it made, and what is deleted makes room.
    expect((await make(900, key)).status).toBe(201);
    const list = (await app.request('GET', `/api/v1/${what}/?limit=1000`, { token })).json;
    expect(list).toHaveLength(limit);
    const [one] = list;
    await app.request('DELETE', `/api/v1/${what}/${what === 'widgets' ? one.token : one.uuid}/`, { token });
    expect((await make(2_000)).status).toBe(201);
  });
});

it('a workflow keeps 50 versions, and a conversation with an older one ends', async () => {
  const nodes = (n: number) => [
    { id: 's', type: 'start', greeting: `Hello ${n}`, next: 'q' },
    { id: 'q', type: 'question', text: '?', next: 'q' },
  ];
  const agent = await testAgent(app, nodes(0));
  const id = await agent.open();
  const kept = await agent.open();
  const set = (n: number) => agent.rest('PATCH', `workflows/${agent.uuid}/`, { nodes: nodes(n) });
  for (let n = 1; n < 50; n++) await set(n);
  const graphs = () => app.services.models.graphs.countDocuments({ workflow: agent.uuid });
  expect(await graphs()).toBe(50);
  expect(await agent.talk(kept, 'Hi')).toEqual([['?'], 'active']);
  for (let n = 50; n < 60; n++) await set(n);
  expect(await graphs()).toBe(50);
  // As another process would, which has not read that version.
  const { GraphCache } = await import('../agent/graph.ts');
  const fresh = new GraphCache(app.services.workflows.graphs);
  const { get } = GraphCache.prototype;
  GraphCache.prototype.get = (graph) => get.call(fresh, graph);
  expect(await agent.talk(id, 'Hi')).toEqual([[], 'ended']);
  GraphCache.prototype.get = get;
  expect((await agent.start()).json.message).toBe('Hello 59\n\n?');
});

it("one address opens a limited number of visitors' rooms a day", async () => {
  const { widget } = await app.account();
  const open = () => app.request('POST', `/api/v1/widgets/${widget}/sessions/`, { body: {} });
  const first = await open();
  const statuses = [first.status, (await open()).status, (await open()).status, (await open()).status];
  expect(statuses).toEqual([201, 201, 201, 429]);
  // Who has a room goes on in it.
  const renewed = await app.request('POST', `/api/v1/widgets/${widget}/sessions/`, {
    body: {},
    visitor: first.json.token,
  });
  expect(renewed.status).toBe(201);
});

describe('a process that was stopped for longer than its lease', () => {
  /** Lets 16 s pass when this method of a collection is called, until `wake` is. */
  const stopIn = (collection: object, method: string) => {
    const methods = collection as Record<string, (...args: unknown[]) => unknown>;
    const own = methods[method];
    const { now } = performance;
    const clock = vi.spyOn(performance, 'now');
    const spy = vi.spyOn(methods, method).mockImplementation((...args) => {
      clock.mockImplementation(() => now.call(performance) + 16_000);
      return own?.apply(collection, args);
    });
    const wake = () => {
      spy.mockRestore();
      clock.mockRestore();
    };
    onTestFinished(wake);
    return wake;
  };

  it('keeps no lease that somebody else has taken', async () => {
    const { leases, models } = app.services;
    const kept = await leases.keep('something long');
    const claim = { _id: 'something long' };
    const { now } = performance;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 16_000);
    onTestFinished(() => clock.mockRestore());
    await kept.renew();
    await models.registrationClaims.updateOne(claim, { $set: { expires_at: new Date(Date.now() + 40_000) } });
    clock.mockImplementation(() => now.call(performance) + 32_000);
    await expect(kept.renew()).rejects.toMatchObject({ code: 'unavailable' });
    // Nor does it give back what is not its own.
    await kept.giveBack();
    expect(await models.registrationClaims.exists(claim)).not.toBeNull();
  });

  it('makes nothing by a count of before', async () => {
    const { token, id } = await app.account();
    const { webhooks } = app.services.models;
    const body = { event: 'chat.added', target: 'http://127.0.0.1:8/' };
    const make = () => app.request('POST', '/api/v1/webhooks/', { token, body });
    const wake = stopIn(webhooks, 'countDocuments');
    expect((await make()).status).toBe(503);
    wake();
    expect(await webhooks.countDocuments({ account: id })).toBe(0);
    expect((await make()).status).toBe(201);
  });

  it('takes no name that was free before', async () => {
    const username = 'stopped';
    const given = { username, email: 'stopped@example.com', password: 'a long enough secret' };
    const body = { ...given, password2: given.password };
    const wake = stopIn(app.services.models.members, 'exists');
    expect((await app.request('POST', '/api/v1/auth/register', { body })).status).toBe(503);
    wake();
    expect(await app.services.models.accounts.exists({ username_key: username })).toBeNull();
    expect((await app.request('POST', '/api/v1/auth/register', { body })).status).toBe(201);
  });
});
