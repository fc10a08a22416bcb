import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { startReceiver } from '../../../test/webhooks-parts.ts';
import { wholeAccount } from '../members/view.ts';

const PATIENCE = { timeout: 60_000, interval: 50 };

const app = testApp({ WEBHOOK_RETRY_DELAYS: Array(30).fill('1s').join() });
let token = '';
let widget = '';

beforeAll(async () => {
  ({ token, widget } = await app.account());
});

const path = (of = widget) => `/api/v1/widgets/${of}/sessions/`;
const write = (visitor: string, uuid: string, body = 'Hi') =>
  app.request('POST', '/api/v1/messages/', { visitor, body: { body, room: { uuid } } });
const seen = async (list: string) =>
  JSON.stringify((await app.request('GET', `/api/v1/${list}/?limit=1000`, { token })).json);

describe('DELETE /api/v1/widgets/<widget_token>/sessions/', () => {
  it('erases the room, the messages, the lead and the session', async () => {
    const { visitor, room } = await app.session(widget);
    await write(visitor, room.uuid, 'Forget this');
    await app.request('POST', '/api/v1/leads/', { visitor, body: { nickname: 'Ephemera' } });
    expect(await seen('messages')).toContain('Forget this');
    expect(await seen('leads')).toContain('Ephemera');

    expect((await app.request('DELETE', path(), { visitor })).status).toBe(204);
    expect(await seen('messages')).not.toContain('Forget this');
    expect(await seen('leads')).not.toContain('Ephemera');
    expect(await seen('rooms')).not.toContain(room.uuid);
    for (const answer of [
      await app.request('DELETE', path(), { visitor }),
      await write(visitor, room.uuid),
      await app.request('POST', path(), { visitor, body: {} }),
    ]) {
      expect([answer.status, answer.json]).toEqual([401, { detail: 'Invalid token.' }]);
    }
    const { sessions } = app.services.models;
    const kept = await sessions.findOne({ room: room.uuid }).lean();
    expect(kept).toMatchObject({ device: '', locale: '', page: { url: '', title: '', referrer: '' } });
  });

  it('leaves nothing in a session whose room its owner has deleted; its visitor may begin anew', async () => {
    const page = { url: 'https://shop.example/clinic', title: 'Clinic', referrer: 'https://search.example/' };
    const { json } = await app.request('POST', path(), { body: { page, locale: 'de' } });
    const { token: visitor, room } = json;
    const stored = () => app.services.models.sessions.findOne({ room: room.uuid }).lean();
    await write(visitor, room.uuid);
    expect(await stored()).toMatchObject({ page, locale: 'de' });
    const deleted = await app.request('DELETE', `/api/v1/rooms/${room.label}/`, { token });
    expect(deleted.status).toBe(204);
    const forgotten = { device: '', locale: '', page: { url: '', title: '', referrer: '' } };
    expect(await stored()).toMatchObject(forgotten);
    expect((await write(visitor, room.uuid)).status).toBe(201);
    expect(await stored()).toMatchObject(forgotten);
    // Where the first round broke off before it, the second one does it, though the visitor has begun anew.
    await app.services.models.sessions.updateOne({ room: room.uuid }, { $set: { page } });
    await app.services.roomDeletion.resume(new Date(Date.now() + 120_000));
    expect(await stored()).toMatchObject(forgotten);
  });

  it.each(['visitor', 'owner'])(
    'takes keyword notifications along, of older versions too, by the %s',
    async (who) => {
      const { notifications } = app.services.models;
      await app.request('POST', '/api/v1/keywords/', { token, body: { keyword: 'refund' } });
      const { visitor, room } = await app.session(widget);
      await write(visitor, room.uuid, 'A refund?');
      const raised = await vi.waitFor(() => notifications.findOne({ room: room.uuid }).lean().orFail(), {
        timeout: 60_000,
      });
      const { messages: _, events: __, ...rest } = raised;
      const copied = { customer_request: 'A refund?', nickname: 'Ephemera', email: '', transcripts: [] };
      await notifications.insertMany([{ ...rest, ...copied, _id: randomUUID() }]);
      expect(await seen('keyword_notifications')).toContain('Ephemera');
      const [erase, as] =
        who === 'visitor' ? [path(), { visitor }] : [`/api/v1/rooms/${room.label}/`, { token }];
      expect((await app.request('DELETE', erase, as)).status).toBe(204);
      expect(await notifications.find({ room: room.uuid }).lean()).toEqual([]);
      expect(await seen('keyword_notifications')).not.toContain(room.uuid);
    },
  );

  it('works for a visitor that wrote nothing, and for a room that was renamed', async () => {
    const silent = await app.session(widget);
    expect((await app.request('DELETE', path(), { visitor: silent.visitor })).status).toBe(204);
    const { visitor, room } = await app.session(widget);
    await write(visitor, room.uuid, 'Renamed');
    const label = `renamed-${room.label}`;
    await app.request('PATCH', `/api/v1/rooms/${room.label}/`, { token, body: { label } });
    expect((await app.request('DELETE', path(), { visitor })).status).toBe(204);
    expect((await app.request('GET', `/api/v1/rooms/${label}/`, { token })).status).toBe(404);
  });

  it('is for the visitor alone, on its own widget', async () => {
    const { visitor } = await app.session(widget);
    const other = await app.account();
    expect((await app.request('DELETE', path())).status).toBe(401);
    expect((await app.request('DELETE', path(), { token })).status).toBe(403);
    expect((await app.request('DELETE', path(other.widget), { visitor })).status).toBe(404);
    expect((await app.request('POST', path(), { visitor, body: {} })).status).toBe(201);
  });

  it('goes through it once more later, for what was written at the same time', async () => {
    const { visitor, room } = await app.session(widget);
    await write(visitor, room.uuid);
    const { sessions } = app.services.models;
    const soon = { expires_at: new Date(Date.now() + 60_000) };
    const session = await sessions.findOneAndUpdate({ room: room.uuid }, { $set: soon }).lean();
    await app.request('DELETE', path(), { visitor });
    // It would be gone by itself before.
    const closed = await sessions.findOne({ room: room.uuid }).lean();
    expect(Number(closed?.expires_at)).toBeGreaterThan(Date.now() + 3_600_000);
    // A request that had passed before the session was closed.
    const account = session?.account ?? '';
    const fields = { label: room.label, name: '', rating: null, is_bot_use: false };
    await app.services.rooms.create(account, fields, room.uuid);
    await app.services.erasure.resume(new Date(Date.now() + 61_000));
    expect(await app.services.rooms.byUuid(wholeAccount(account), room.uuid)).toBeUndefined();
    // It is kept in mind until the last event is out, whose delivery is to be erased as well.
    await vi.waitFor(
      async () => {
        await app.services.erasure.resume(new Date(Date.now() + 61_000));
        expect(await app.services.models.sessions.findOne({ room: room.uuid }).lean()).toBeNull();
      },
      { timeout: 60_000, interval: 100 },
    );
  });

  it('answers before it has gone through very many leads, which go with the next round', async () => {
    const { erasure, models, sessions } = app.services;
    const { visitor, room } = await app.session(widget);
    await write(visitor, room.uuid);
    const found = await sessions.byToken(visitor, '');
    if (!found) throw new Error('there is no such session');
    const { account } = found.session;
    const lead = { account, widget: '', room: room.uuid, created_at: new Date(), version: 1 };
    const many = Array.from({ length: 5 }, () => ({ ...lead, _id: randomUUID(), nickname: 'Ada' }));
    await models.leads.collection.insertMany(many as never);
    await erasure.erase(widget, found, 0);
    const left = () => models.leads.countDocuments({ room: room.uuid });
    expect(await left()).toBeGreaterThan(0);
    expect(await models.messages.countDocuments({ room: room.uuid })).toBe(0);
    await erasure.resume(new Date(Date.now() + 61_000));
    expect(await left()).toBe(0);
  });

  it('goes through all of many once more at a time', async () => {
    const { sessions } = app.services.models;
    const { room } = await app.session(widget);
    const session = await sessions.findOne({ room: room.uuid }).lean().orFail();
    const many = Array.from({ length: 130 }, () => ({
      ...session,
      _id: randomUUID(),
      room: randomUUID(),
      closed_at: new Date(),
    }));
    await sessions.insertMany(many);
    await app.services.erasure.resume(new Date(Date.now() + 61_000));
    expect(await sessions.countDocuments({ _id: { $in: many.map(({ _id }) => _id) } })).toBe(0);
  });

  it('goes past more than are read at a time whose documents are damaged', async () => {
    const { erasure, models, roomDeletion } = app.services;
    const { room } = await app.session(widget);
    const session = await models.sessions.findOne({ room: room.uuid }).lean().orFail();
    const longAgo = new Date('1971-01-02');
    const damaged = Array.from({ length: 510 }, () => ({ _id: randomUUID(), room: { not: randomUUID() } }));
    const other = { account: session.account, room: randomUUID() };
    const later = new Date(Date.now() + 61_000);

    const closed = { ...session, _id: randomUUID(), ...other, closed_at: new Date('2020-01-01') };
    await models.sessions.collection.insertMany([
      ...damaged.map((one) => ({ ...session, ...one, closed_at: longAgo })),
      closed,
    ] as never[]);
    await erasure.resume(later);
    expect(await models.sessions.countDocuments({ _id: closed._id })).toBe(0);
    await models.sessions.deleteMany({ closed_at: longAgo });

    const pending = { _id: randomUUID(), ...other, begun_at: new Date('2020-01-01') };
    await models.roomDeletions.collection.insertMany([
      ...damaged.map((one) => ({ ...one, account: session.account, begun_at: longAgo })),
      pending,
    ] as never[]);
    const tombstone = { _id: randomUUID(), subject: 'x', made_at: longAgo };
    await models.tombstones.collection.insertMany([
      ...damaged.map(({ _id }) => ({ ...tombstone, _id, deletion: { collection: null } })),
      tombstone,
    ] as never[]);
    await expect(roomDeletion.resume(later)).rejects.toThrow();
    expect(await models.roomDeletions.countDocuments({ _id: pending._id })).toBe(0);
    expect(await models.tombstones.countDocuments({ _id: tombstone._id })).toBe(0);
    const ids = { _id: { $in: damaged.map(({ _id }) => _id) } };
    await models.roomDeletions.deleteMany(ids);
    await models.tombstones.deleteMany(ids);
  });

  it('shows nothing of what still waits for a subscriber, and exports none of it', async () => {
    const own = await app.account();
    const asOwner = { token: own.token };
    const { room, visitor } = await app.session(own.widget);
    let finish = (_?: unknown) => {};
    const isErased = new Promise((resolve) => {
      finish = resolve;
    });
    const receiver = await startReceiver(async ({ body }, response, number) => {
      if (number === 2) await isErased;
      response.writeHead(500).end(`I don't take ${body}`);
    });
    const hook = { event: 'message.added', target: receiver.url };
    expect((await app.request('POST', '/api/v1/webhooks/', { ...asOwner, body: hook })).status).toBe(201);
    const log = async () => (await app.request('GET', '/api/v1/deliveries/', asOwner)).json;
    await write(visitor, room.uuid, 'Forget this');
    await vi.waitFor(async () => expect((await log())[0]?.attempts).toHaveLength(1), PATIENCE);
    const [{ id, attempts }] = await log();
    expect(attempts[0].response).toContain('Forget this');
    await vi.waitFor(() => expect(receiver.hits).toHaveLength(2), PATIENCE);

    expect((await app.request('DELETE', path(own.widget), { visitor })).status).toBe(204);
    const all = async () =>
      Promise.all(
        ['/api/v1/deliveries/', `/api/v1/deliveries/${id}/`, `/api/v1/deliveries/${id}/body/`].map(
          async (from) => (await app.request('GET', from, asOwner)).text,
        ),
      );
    expect((await all()).join()).not.toContain('Forget this');
    expect((await all()).at(-1)).toBe('{"body":null}');
    const exported = (await app.request('GET', '/api/v1/account/export/', asOwner)).text;
    expect(exported).toContain('"webhooks"');
    expect(exported).not.toContain('Forget this');
    const again = await app.request('POST', `/api/v1/deliveries/${id}/redeliver/`, asOwner);
    expect(again.status).toBe(409);

    // The attempt that was under way is answered, and so is the next one.
    finish();
    await vi.waitFor(() => expect(receiver.hits.length).toBeGreaterThan(2), PATIENCE);
    expect(receiver.hits.at(-1)?.body).toContain('Forget this');
    const stored = () => app.services.models.deliveries.findOne({ _id: id }).lean();
    await vi.waitFor(async () => {
      const { attempts = [] } = (await stored()) ?? {};
      expect(attempts.length).toBeGreaterThan(1);
      expect(attempts.map(({ response }) => response).join('')).toBe('');
    }, PATIENCE);
    expect((await log())[0].state).toBe('pending');
  });

  it('forgets what a redelivery was answered with, where a crash had it answered late', async () => {
    const own = await app.account();
    const asOwner = { token: own.token };
    const receiver = await startReceiver(({ body }, response) => response.end(`Got ${body}`));
    const hook = { event: 'message.added', target: receiver.url };
    await app.request('POST', '/api/v1/webhooks/', { ...asOwner, body: hook });
    const { room, visitor } = await app.session(own.widget);
    await write(visitor, room.uuid, 'Forget this');
    const { deliveries, idempotency } = app.services.models;
    const delivered = { account: own.id, state: 'delivered' as const };
    const arrived = (count: number) =>
      vi.waitFor(async () => expect(await deliveries.countDocuments(delivered)).toBe(count), PATIENCE);
    await arrived(1);
    const [{ id }] = (await app.request('GET', '/api/v1/deliveries/', asOwner)).json;
    const keyed = { ...asOwner, headers: { 'Idempotency-Key': 'once more' } };
    const again = () => app.request('POST', `/api/v1/deliveries/${id}/redeliver/`, keyed);
    expect((await again()).status).toBe(202);
    await arrived(2);
    // As a process leaves it that is killed before it answers.
    await idempotency.updateOne(
      { account: own.id, 'answer.status': 202 },
      { $set: { leased_until: new Date(0) }, $unset: { answer: 1, subject: 1, subject_at: 1 } },
    );
    expect((await again()).text).toContain('Forget this');
    expect((await app.request('DELETE', path(own.widget), { visitor })).status).toBe(204);
    expect(JSON.stringify(await idempotency.find().lean())).not.toContain('Forget this');
    expect((await again()).text).not.toContain('Forget this');
  });

  it('redacts deliveries around damaged ones, and those as well', async () => {
    const { deliveries } = app.services.models;
    const marked = (erase_by: string, attempts: unknown) => ({
      _id: randomUUID(),
      state: 'delivered',
      body: 'Forget this',
      subject: 'a damaged room',
      erase_by: new Date(erase_by),
      attempts,
    });
    const told = [{ status: 200, response: 'Forgotten' }];
    const all = [
      ...Array.from({ length: 510 }, (_, n) => marked('1970-01-02', n % 2 === 0 ? [null] : null)),
      marked('2020-01-01', told),
    ];
    await deliveries.collection.insertMany(all as never[]);
    await app.services.erasedDeliveries.resume();
    const own = await deliveries.find({ _id: { $in: all.map(({ _id }) => _id) } }).lean();
    expect(own.filter(({ body, erase_by }) => body !== '' || erase_by !== undefined)).toEqual([]);
    expect(JSON.stringify(own)).not.toContain('Forgotten');
  });

  it('empties what the live channel keeps of the room', async () => {
    const { visitor, room } = await app.session(widget);
    await write(visitor, room.uuid, 'Told already');
    const entries = app.services.models.realtimeEntries;
    const told = () => entries.findOne({ room: room.uuid, name: 'message.added' }).lean();
    while (!(await told())) await new Promise((resolve) => setTimeout(resolve, 20));
    const { _id: place = 0 } = (await told()) ?? {};
    const recent = () => JSON.stringify(app.services.channel.recent.after(place - 1));
    expect(recent()).toContain('Told already');
    await app.request('DELETE', path(), { visitor });
    expect(await told()).toBeNull();
    expect(JSON.stringify(await entries.find({}).lean())).not.toContain('Told already');
    expect(recent()).not.toContain('Told already');
  });
});
