import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { type Fixtures, makeFixtures } from '../../../test/fixtures.ts';
import { type Line, movedAccounts } from '../../../test/moved-accounts.ts';
import { exportAccount } from './account-copy.ts';
import { deleteAccount } from './account-data.ts';

const app = testApp({ WEBHOOK_RETRY_DELAYS: '1h' });

const { accountOf, read } = movedAccounts(app);

/** More than are read at a time, so that some are read after the first line. */
const MANY = 20;

type Step = () => Promise<void>;

/**
 * Exports while others go on.
 * @param meanwhile what happens once the first line of a kind is there
 * @param announced what happens once all but what follows has been read
 */
const exportedWhile = async (
  { username }: Fixtures,
  meanwhile: Record<string, Step>,
  announced: Step = async () => undefined,
): Promise<Line[]> => {
  const steps = new Map(Object.entries(meanwhile));
  const lines: Line[] = [];
  for await (const text of exportAccount(app.services, await accountOf(username), announced)) {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    const [kind = ''] = Object.keys(line);
    const step = steps.get(kind);
    steps.delete(kind);
    await step?.();
  }
  expect([...steps.keys()]).toEqual([]);
  return lines;
};

const post = async ({ token }: Fixtures, path: string, body: object) => {
  const answer = await app.request('POST', path, { token, body });
  expect(answer.status, answer.text).toBe(201);
  return answer.json;
};

const say = (fixtures: Fixtures, room: string) =>
  post(fixtures, '/api/v1/messages/', { body: 'Hello', nickname: 'Ada', room: { uuid: room } });

/** Waits until a conversation counts a message. */
const isCounted = (room: string, message: string) =>
  expect
    .poll(async () => {
      const found = await app.services.models.inbox.findOne({ _id: room }).lean();
      return found?.heard.recent.some(({ id }) => id === message);
    })
    .toBe(true);

const idsOf = (lines: readonly Line[], kind: string): string[] =>
  lines.flatMap((line) => line[kind]?._id ?? []);

/** Takes the account away, and reads it in from its file. */
const moveTo = async ({ username }: Fixtures, lines: readonly Line[]): Promise<void> => {
  const { _id } = await accountOf(username);
  await deleteAccount(app.services, _id);
  await app.services.accountDeletion.finish(_id);
  expect(await read(lines)).toBe(username);
};

it('has nothing of a conversation that comes meanwhile, and all of those before', async () => {
  const fixtures = await makeFixtures(app);
  const come: string[] = [];
  const talk = async () => {
    const { uuid } = await post(fixtures, '/api/v1/rooms/', {});
    const message = await say(fixtures, uuid);
    await isCounted(uuid, message.uuid);
    await post(fixtures, `/api/v1/conversations/${uuid}/notes/`, { body: 'New' });
    const { visitor, room } = await app.session(fixtures.ids.widgets ?? '');
    const left = await app.request('POST', '/api/v1/leads/', { visitor, body: { nickname: 'Ada' } });
    expect(left.status, left.text).toBe(201);
    come.push(uuid, left.json.uuid);
    expect((await app.request('GET', `/api/v1/rooms/${room.label}/`, { token: fixtures.token })).status).toBe(
      200,
    );
  };
  const lines = await exportedWhile(fixtures, { members: talk, rooms: talk, messages: talk });
  const text = JSON.stringify(lines);
  expect(come.filter((uuid) => text.includes(uuid))).toEqual([]);
  const rooms = [fixtures.room.uuid, fixtures.visitor.room.uuid];
  expect(idsOf(lines, 'rooms')).toEqual(expect.arrayContaining(rooms));
  expect(idsOf(lines, 'inbox')).toEqual(expect.arrayContaining(rooms));
  await moveTo(fixtures, lines);
  const { token } = fixtures;
  const listed = (await app.request('GET', '/api/v1/conversations/?limit=100', { token })).json;
  expect(listed.length).toBeGreaterThan(1);
  for (const { uuid } of listed) await say(fixtures, uuid);
});

it('has the messages that its conversations count', async () => {
  const fixtures = await makeFixtures(app);
  const { uuid } = fixtures.room;
  const said: string[] = [];
  const lines = await exportedWhile(fixtures, {}, async () => {
    if (said.length > 0) return;
    for (let n = 0; n < MANY; n++) said.push((await say(fixtures, uuid)).uuid);
    await isCounted(uuid, said.at(-1) ?? '');
  });
  expect(said.length).toBe(MANY);
  const own = idsOf(lines, 'messages');
  expect(own).toEqual(expect.arrayContaining(said));
  expect(new Set(own).size).toBe(own.length);
  await moveTo(fixtures, lines);
});

it('has nothing of where the messages of a turn came from that a room still holds', async () => {
  const fixtures = await makeFixtures(app);
  const asked_from = ['0123456789abcdef0123456789abcdef'];
  const event = { id: randomUUID(), name: 'message.added', at: new Date(), data: {}, asked_from };
  const messages = [{ _id: randomUUID(), body: 'Hello', sent_at: new Date(), events: [event] }];
  const pending = { turn: randomUUID(), at: new Date(), messages, leads: [] };
  const { rooms } = app.services.models;
  await rooms.updateOne({ _id: fixtures.room.uuid }, { $set: { bot: { pending } } } as never);
  const lines = JSON.stringify(await exportedWhile(fixtures, {}));
  await rooms.updateOne({ _id: fixtures.room.uuid }, { $unset: { bot: 1 } });
  expect(lines).toContain(event.id);
  expect(lines).not.toContain(asked_from[0]);
});

it('has no two rooms of one label, where one takes that of another meanwhile', async () => {
  const fixtures = await makeFixtures(app);
  const { token } = fixtures;
  const rename = async (from: string, label: string) =>
    expect((await app.request('PATCH', `/api/v1/rooms/${from}/`, { token, body: { label } })).status).toBe(
      200,
    );
  const oldest = await post(fixtures, '/api/v1/rooms/', { label: 'oldest' });
  for (let n = 0; n < MANY; n++) await post(fixtures, '/api/v1/rooms/', {});
  const vip = await post(fixtures, '/api/v1/rooms/', { label: 'vip' });
  const lines = await exportedWhile(fixtures, {
    rooms: async () => {
      await rename('vip', 'vip-2025');
      await rename('oldest', 'vip');
    },
  });
  const labels = lines.flatMap(({ rooms }) => rooms?.label ?? []);
  expect(new Set(labels).size).toBe(labels.length);
  for (const { uuid } of [oldest, vip]) {
    const [room, conversation] = ['rooms', 'inbox'].map((kind) =>
      lines.map((line) => line[kind]).find((one) => one?._id === uuid),
    );
    expect(conversation.label).toBe(room.label);
  }
  await moveTo(fixtures, lines);
});

it('loses no room whose label is changed while labels are read', async () => {
  const fixtures = await makeFixtures(app);
  const { rooms } = app.services.models;
  const like = await rooms.findOne({ _id: fixtures.room.uuid }).lean();
  // More than are read at a time.
  const others = Array.from({ length: 1_100 }, (_, n) => ({
    ...like,
    _id: randomUUID(),
    label: `m${String(n).padStart(5, '0')}`,
  }));
  await rooms.collection.insertMany(others as never);
  const { uuid } = await post(fixtures, '/api/v1/rooms/', { label: 'zeta' });
  const find = rooms.find.bind(rooms) as unknown as (...given: unknown[]) => any;
  const spy = vi.spyOn(rooms, 'find').mockImplementationOnce(((...given: unknown[]) => {
    const query = find(...given);
    const cursor = query.cursor.bind(query);
    query.cursor = async function* (options: object) {
      let isFirst = true;
      for await (const one of cursor(options)) {
        yield one;
        if (isFirst) await rooms.updateOne({ _id: uuid }, { $set: { label: 'alpha' } });
        isFirst = false;
      }
    };
    return query;
  }) as never);
  const lines = await exportedWhile(fixtures, {});
  spy.mockRestore();
  const read = idsOf(lines, 'rooms');
  expect(read.includes(uuid)).toBe(true);
  expect(read.length).toBe(await rooms.countDocuments({ account: like?.account }));
});
