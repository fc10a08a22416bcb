import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';

const app = testApp();
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
