import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Answer, testApp } from '../../test/app.ts';
import { testMembers } from '../../test/members.ts';
import { document } from '../../test/openapi.ts';
import { FairTurns } from '../platform/fair-turns.ts';
import { inTurn, objectInTurn } from './turns.ts';

const app = testApp();
const people = testMembers(app);

/** Everything of an account that is read by a path of its own, and what else waits for its turn. */
const PLAIN_READS = Object.entries(document.paths ?? {})
  .filter(([path, { get }]) => get && path.startsWith('/api/v1/') && !path.includes('{'))
  .map(([path]) => (path === '/api/v1/search/' ? `${path}?q=hello` : path));

/** When something was seen and changed last is another moment's. */
const OF_ITS_TIME: readonly string[] = ['seen_at', 'updated_at'];
const lasting = ({ status, json, text }: Answer) => ({
  status,
  body: json
    ? JSON.parse(JSON.stringify(json, (key, value) => (OF_ITS_TIME.includes(key) ? null : value)))
    : text,
});

/** Lets nothing of an account begin whose turn it is, until it is opened. */
const holdTurns = (account: string) => {
  const run = FairTurns.prototype.run;
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const held: string[] = [];
  const spy = vi.spyOn(FairTurns.prototype, 'run').mockImplementation(async function (
    this: FairTurns,
    ...[who, task, gone]
  ) {
    if (who.includes(account)) {
      held.push(who);
      await opened;
    }
    return run.call(this, who, task, gone) as never;
  });
  onTestFinished(() => spy.mockRestore());
  return { held, open };
};

let owner: Awaited<ReturnType<typeof app.account>>;
let widgets: { uuid: string; token: string }[];
let rooms: string[];
let bot: string;
let reads: string[];

beforeEach(async () => {
  owner = await app.account();
  const { token } = owner;
  const second = (await app.request('POST', '/api/v1/widgets/', { token, body: { name: 'Second' } })).json;
  const first = (await app.request('GET', '/api/v1/widgets/', { token })).json.at(-1);
  widgets = [first, second];
  rooms = [];
  for (const widget of widgets) {
    const { visitor, room } = await app.session(widget.token);
    const origin = { origin: 'https://shop.example.com' };
    await app.request('GET', `/api/v1/widgets/?token=${widget.token}`, { headers: origin });
    const write = { visitor, body: { body: 'hello', room: { uuid: room.uuid } } };
    const { json } = await app.request('POST', '/api/v1/messages/', write);
    await app.request('POST', '/api/v1/leads/', { visitor, body: { nickname: 'hello' } });
    const timeline = `/api/v1/conversations/${room.uuid}/timeline/`;
    await expect.poll(async () => (await app.request('GET', timeline, { token })).status).toBe(200);
    rooms.push(room.uuid);
    const messages = [`/api/v1/messages/?room=${room.uuid}`, `/api/v1/messages/${json.uuid}/`];
    reads = [timeline, `${timeline}?around=${json.uuid}`, ...messages];
  }
  const found = async () => (await app.request('GET', '/api/v1/search/?q=hello', { token })).json.length;
  await expect.poll(found).toBeGreaterThanOrEqual(4);
  // They are noted within a second or two.
  const seen = async () => (await app.request('GET', '/api/v1/sightings/', { token })).json.length;
  await expect.poll(seen, { timeout: 10_000 }).toBe(widgets.length);
  const workflow = await app.request('POST', '/api/v1/workflows/', { token, body: { name: 'Bot' } });
  bot = `/api/v1/workflows/${workflow.json.uuid}/`;
  reads = [...PLAIN_READS, ...reads, `${bot}versions/`];
});

/** Asks as a member for all of `reads`, a bulk change and a word of the bot; `change` is made while some of it waits for its turn. */
const whileItWaits = async (token: string, change: () => Promise<Answer>) => {
  const ask = (path: string) => app.request('GET', path, { token });
  // It is open already: what else is read stays as it is.
  const body = { uuids: rooms, status: 'open' };
  const changeAll = () => app.request('POST', '/api/v1/conversations/bulk/', { token, body });
  const asks = new Map(reads.map((path) => [path, () => ask(path)]));
  asks.set('bulk', changeAll);
  asks.set('test', () => app.request('POST', `${bot}test/`, { token, body: {} }));
  const { held, open } = holdTurns(owner.id);
  const answered = new Map<string, Answer>();
  const all = [...asks].map(async ([name, ask]) => void answered.set(name, await ask()));
  await expect.poll(() => held.length + answered.size).toBe(asks.size);
  const waiting = [...asks.keys()].filter((name) => !answered.has(name));
  expect((await change()).status).toBeLessThan(300);
  const { now } = performance;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 2_000);
  onTestFinished(() => clock.mockRestore());
  open();
  await Promise.all(all);
  const answers: [name: string, waited: ReturnType<typeof lasting>, asked: ReturnType<typeof lasting>][] = [];
  for (const name of waiting) {
    const fresh = await asks.get(name)?.();
    answers.push([name, lasting(answered.get(name) as Answer), lasting(fresh as Answer)]);
  }
  return answers;
};

describe('what waits for its turn', () => {
  it('is answered as it would be if it were asked for then', { timeout: 60_000 }, async () => {
    const member = await people.member(owner.token, 'operator');
    const restricted = { widgets: [widgets[0]?.uuid] };
    const answers = await whileItWaits(member.token, () =>
      people.change(owner.token, member.uuid, restricted),
    );
    for (const [name, waited, asked] of answers) expect([name, waited]).toEqual([name, asked]);
    const kinds = ['rooms', 'messages', 'leads', 'leads/stats', 'conversations', 'conversations/stats'];
    kinds.push('conversations/counts', 'widgets', 'sightings', 'members', 'replies');
    const expected = [...kinds.map((kind) => `/api/v1/${kind}/`), '/api/v1/search/?q=hello', 'bulk'];
    expect(answers.map(([name]) => name)).toEqual(expect.arrayContaining(expected));
    const waited = new Map(answers.map(([name, { status, body }]) => [name, body ?? status]));
    expect(waited.get('/api/v1/conversations/counts/').widgets).toEqual({ [widgets[0]?.uuid ?? '']: 1 });
    expect(waited.get('bulk')).toMatchObject({ changed: [rooms[0]], missing: [rooms[1]] });
    expect(answers.filter(([, { status }]) => status === 404).map(([name]) => name)).toHaveLength(3);
  });

  it('is refused what its member may not do any more', { timeout: 60_000 }, async () => {
    const member = await people.member(owner.token, 'admin');
    const answers = await whileItWaits(member.token, () =>
      people.change(owner.token, member.uuid, { role: 'operator' }),
    );
    for (const [name, waited, asked] of answers) expect([name, waited]).toEqual([name, asked]);
    const refused = answers.filter(([, { status }]) => status === 403).map(([name]) => name);
    const lists = ['audit/', 'deliveries/', 'keywords/', 'webhooks/', 'workflows/'];
    const expected = [...lists.map((path) => `/api/v1/${path}`), `${bot}versions/`, 'test'];
    expect(refused).toEqual(expect.arrayContaining(expected));
  });

  it('is refused to a member that has been removed', { timeout: 60_000 }, async () => {
    const member = await people.member(owner.token, 'admin');
    const answers = await whileItWaits(member.token, () => people.remove(owner.token, member.uuid));
    expect(answers.length).toBeGreaterThan(15);
    for (const [name, { status }] of answers) expect([name, status]).toEqual([name, 401]);
  });
});

it('single objects wait behind no lists, and an account has 1 000 of both under way, no caller all of them', async () => {
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const task = (what: string) => () => {
    begun.push(what);
    return new Promise<void>((resolve) => void ends.push(resolve));
  };
  const ctx = (scope: string, owner = 'busy') => {
    const principal = { kind: 'account', owner, scope };
    return {
      res: new EventEmitter(),
      state: { principal, authenticateAgain: async () => undefined },
    } as never;
  };
  const lists = Array.from({ length: 3 }, () => inTurn(ctx('member'), task('list')));
  const objects: Promise<void>[] = [];
  /** How many of a caller are taken until one is refused. */
  const fill = async (scope: string): Promise<number> => {
    const before = objects.length;
    for (let refused = false; !refused; ) {
      const one = objectInTurn(ctx(scope), task('object'));
      refused = await Promise.race([
        one.then(
          () => false,
          () => true,
        ),
        new Promise<boolean>((resolve) => setImmediate(resolve, false)),
      ]);
      if (!refused) objects.push(one);
    }
    return objects.length - before;
  };
  // As many as are left to the others.
  expect([await fill('token 1'), await fill('token 2'), await fill('token 3')]).toEqual([499, 249, 125]);
  expect(begun.filter((what) => what === 'object')).toHaveLength(16);
  expect(begun.filter((what) => what === 'list')).toHaveLength(2);
  const other = objectInTurn(ctx('member', 'another'), task('other'));
  await expect.poll(() => begun).toContain('other');
  const all = objects.length + lists.length + 1;
  while (begun.length < all || ends.length > 0) {
    for (const end of ends.splice(0)) end();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all([...lists, ...objects, other]);
  const next = objectInTurn(ctx('token 1'), task('next'));
  await expect.poll(() => begun).toContain('next');
  for (const end of ends) end();
  await next;
});
