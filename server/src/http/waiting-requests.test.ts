import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { testApp } from '../../test/app.ts';
import { testMembers } from '../../test/members.ts';

const PATIENCE = { timeout: 30_000, interval: 20 };
const app = testApp();
const people = testMembers(app);

/** Has the next look at an Idempotency-Key wait, as in a slow database. @returns lets it go on */
const holdClaim = () => {
  const { idempotency } = app.services.models;
  const findOne = idempotency.findOne.bind(idempotency);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const spy = vi.spyOn(idempotency, 'findOne').mockImplementationOnce(((asked: object) => ({
    lean: () => ({ exec: () => held.then(() => findOne(asked).lean().exec()) }),
  })) as never);
  const isHeld = () => vi.waitFor(() => expect(spy).toHaveBeenCalled(), PATIENCE);
  return { isHeld, release };
};

it('a message that waited while its visitor was erased is refused, and stored nowhere', async () => {
  const { models } = app.services;
  const { widget } = await app.account();
  const { visitor, room } = await app.session(widget);
  const { isHeld, release } = holdClaim();
  const late = app.request('POST', '/api/v1/messages/', {
    visitor,
    body: { body: 'My secret', room: { uuid: room.uuid } },
    headers: { 'idempotency-key': randomUUID() },
  });
  await isHeld();
  const erased = await app.request('DELETE', `/api/v1/widgets/${widget}/sessions/`, { visitor });
  expect(erased.status).toBe(204);
  await sleep(1_100);
  release();
  expect((await late).status).toBe(401);
  expect(await models.messages.countDocuments({ body: 'My secret' })).toBe(0);
});

it('a request that waited while its token was revoked is refused, and makes nothing', async () => {
  const { token, username } = await app.account();
  const { isHeld, release } = holdClaim();
  const key = randomUUID();
  const post = () =>
    app.request('POST', '/api/v1/rooms/', {
      token,
      body: { name: key },
      headers: { 'idempotency-key': key },
    });
  const late = post();
  await isHeld();
  const body = { username, password: 'a long enough secret', reset_token: true };
  expect((await app.request('POST', '/api/v1/auth/api-token', { body })).status).toBe(200);
  await sleep(1_100);
  release();
  expect((await late).status).toBe(401);
  expect(await app.services.models.rooms.countDocuments({ name: key })).toBe(0);
});

it.each(['webhooks', 'leads'] as const)(
  'a deletion among %s that waited for the database is refused to an admin that has been removed',
  async (kind) => {
    const { token } = await app.account();
    const made = {
      webhooks: { event: 'message.added', target: 'https://own.example.com/' },
      leads: { nickname: 'Ada' },
    };
    const { json } = await app.request('POST', `/api/v1/${kind}/`, { token, body: made[kind] });
    const path = `/api/v1/${kind}/${json.uuid}/`;
    const admin = await people.member(token, 'admin');
    const { models } = app.services;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // What a deletion of that kind asks of the database first.
    const { webhooks, roomDeletions } = models;
    const find = webhooks.findOne.bind(webhooks);
    const insert = roomDeletions.insertOne.bind(roomDeletions);
    const spy =
      kind === 'webhooks'
        ? vi.spyOn(webhooks, 'findOne').mockImplementationOnce(((asked: object) => ({
            lean: () => held.then(() => find(asked).lean().exec()),
          })) as never)
        : vi
            .spyOn(roomDeletions, 'insertOne')
            .mockImplementationOnce(((pending: never) => held.then(() => insert(pending))) as never);
    const late = app.request('DELETE', path, { token: admin.token });
    await vi.waitFor(() => expect(spy).toHaveBeenCalled(), PATIENCE);
    expect((await people.remove(token, admin.uuid)).status).toBe(204);
    await sleep(1_100);
    release();
    expect((await late).status).toBe(401);
    expect((await app.request('GET', path, { token })).status).toBe(200);
    expect(await roomDeletions.countDocuments({ room: json.uuid })).toBe(0);
  },
);
