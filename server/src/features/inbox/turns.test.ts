import { beforeAll, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';

/** Costly requests of one account wait for each other, and for nobody else's. */

const app = testApp();

let account: Awaited<ReturnType<typeof app.account>>;

beforeAll(async () => {
  account = await app.account();
});

const uuids = ['0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11'];
const bulk = (token: string) =>
  app.request('POST', '/api/v1/conversations/bulk/', { token, body: { uuids, status: 'done' } });

it('lets 21 bulk changes of an account wait for each other, and no more', async () => {
  const other = await app.account();
  const all = await Promise.all([...Array(30)].map(() => bulk(account.token)).concat(bulk(other.token)));
  const others = all.pop();
  expect(others?.status).toBe(200);
  const refused = all.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(30 - 21);
  expect(refused[0]?.headers['retry-after']).toBe('5');
  expect(all.filter(({ status }) => status === 200)).toHaveLength(21);
  expect((await bulk(account.token)).status).toBe(200);
});

it('counts once for all who see the same and ask meanwhile', async () => {
  const { visitor, room } = await app.session(account.widget);
  const { token } = account;
  await app.request('POST', '/api/v1/messages/', {
    visitor,
    body: { body: 'Hi', room: { uuid: room.uuid } },
  });
  const read = async () => (await app.request('GET', '/api/v1/conversations/counts/', { token })).json;
  await expect.poll(read).toMatchObject({ open: 1, unassigned: 1, waiting: 1, mine: 0, unread: 1 });

  let commands = 0;
  const { inbox } = app.services.models;
  inbox.db.getClient().on('commandStarted', ({ command }) => {
    if (command.aggregate === inbox.collection.collectionName) commands++;
  });
  const answers = await Promise.all([...Array(30)].map(read));
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  // Two of each that asks are its own; what they share are five, at most once for the first and once for the others.
  expect(commands).toBeLessThanOrEqual(30 * 2 + 2 * 5);
  await app.request('PATCH', `/api/v1/conversations/${room.uuid}/`, { token, body: { status: 'done' } });
  expect(await read()).toMatchObject({ open: 0, unassigned: 0, waiting: 0, unread: 0 });
});

it('finds a tag in whatever form of Unicode it is asked for', async () => {
  const { visitor, room } = await app.session(account.widget);
  const { token } = account;
  await app.request('POST', '/api/v1/messages/', {
    visitor,
    body: { body: 'Hi', room: { uuid: room.uuid } },
  });
  const path = `/api/v1/conversations/${room.uuid}/`;
  const tag = async () => (await app.request('PATCH', path, { token, body: { tags: ['Caf\u00e9'] } })).status;
  await expect.poll(tag).toBe(200);
  const query = encodeURIComponent('Cafe\u0301');
  const { json } = await app.request('GET', `/api/v1/conversations/?tag=${query}`, { token });
  expect(json).toMatchObject([{ uuid: room.uuid, tags: ['Caf\u00e9'] }]);
});
