import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { buriedEvents, holdEvents, waitingStill } from '../../../test/events.ts';

const app = testApp();
let token = '';
let stranger = '';
let widget = '';

beforeAll(async () => {
  ({ token, widget } = await app.account());
  stranger = (await app.account()).token;
});

const create = async (body: object = {}) => await app.request('POST', '/api/v1/rooms/', { token, body });
const at = (label: string) => `/api/v1/rooms/${label}/`;
const send = (method: string, label: string, body?: object, more = {}) =>
  app.request(method, at(label), { token, body, ...more });
const write = (uuid: string, body = 'Hi') =>
  app.request('POST', '/api/v1/messages/', { token, body: { body, room: { uuid } } });

describe('PUT and PATCH /api/v1/rooms/<label>/', () => {
  it('PUT replaces: what is not sent goes back to its default, but the label stays', async () => {
    const { label, uuid, created_at } = (await create({ name: 'One', rating: 5, is_bot_use: true })).json;
    const answer = await send('PUT', label, { rating: 2 });
    expect([answer.status, answer.json]).toEqual([
      200,
      { label, uuid, name: '', rating: 2, is_bot_use: false, created_at, messages: [] },
    ]);
    expect((await send('PUT', label)).json.rating).toBe(null);
  });

  it('PATCH changes what is sent; null clears a rating', async () => {
    const { label } = (await create({ name: 'One', rating: 5 })).json;
    expect((await send('PATCH', label, { rating: null })).json).toMatchObject({ name: 'One', rating: null });
    expect((await send('PATCH', label, { name: null })).json.name).toBe('');
    expect((await send('PATCH', label, { is_bot_use: null })).status).toBe(400);
    expect((await send('PATCH', label, { rating: '5', label: '' })).json).toEqual({
      rating: ['A valid integer is required.'],
      label: ['This field may not be blank.'],
    });
  });

  it('moves a room to its new label', async () => {
    const { label, uuid } = (await create()).json;
    const moved = `moved-${label}`;
    expect((await send('PATCH', label, { label: moved })).json).toMatchObject({ label: moved, uuid });
    expect((await send('GET', label)).status).toBe(404);
    expect((await send('GET', moved)).status).toBe(200);
    const other = (await create()).json;
    const taken = await send('PUT', other.label, { label: moved });
    expect([taken.status, taken.json]).toEqual([400, { label: ['This field must be unique.'] }]);
  });

  it('holds If-Match against the room as GET shows it', async () => {
    const made = await create();
    const { label, uuid } = made.json;
    const matching = (etag: string | undefined) => ({ headers: { 'if-match': etag ?? '' } });
    const answers = await Promise.all(
      ['a', 'b'].map((name) => send('PATCH', label, { name }, matching(made.headers.etag))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const before = (await send('GET', label)).headers.etag;
    await write(uuid);
    expect((await send('DELETE', label, undefined, matching(before))).status).toBe(412);
    expect((await send('PATCH', label, {}, matching('*'))).status).toBe(200);
    const now = (await send('GET', label)).headers.etag;
    expect((await send('DELETE', label, undefined, matching(now))).status).toBe(204);
  });

  it("are another account's 404", async () => {
    const { label } = (await create()).json;
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      expect((await send(method, label, {}, { token: stranger })).status).toBe(404);
    }
  });
});

describe('a visitor', () => {
  it('rates its own room and changes nothing else of it', async () => {
    const mine = await app.session(widget);
    const other = await app.session(widget);
    const rate = (label: string, body: object) =>
      app.request('PATCH', at(label), { visitor: mine.visitor, body });
    expect((await rate(mine.room.label, { rating: 5 })).status).toBe(404);
    for (const { visitor, room } of [mine, other]) {
      const body = { body: 'Hi', room: { uuid: room.uuid } };
      await app.request('POST', '/api/v1/messages/', { visitor, body });
    }
    const answer = await rate(mine.room.label, { rating: 5, name: 'mine', label: 'mine', is_bot_use: true });
    expect([answer.status, answer.json]).toMatchObject([
      200,
      { rating: 5, name: '', label: mine.room.label, is_bot_use: false },
    ]);
    expect((await rate(mine.room.label, { rating: 6 })).status).toBe(400);
    expect((await rate(other.room.label, { rating: 1 })).status).toBe(404);
    const put = await app.request('PUT', at(mine.room.label), { visitor: mine.visitor, body: {} });
    expect(put.status).toBe(403);
  });
});

it('shows a visitor no room that gets the label of its own at that moment', async () => {
  const { visitor, room } = await app.session(widget);
  const body = { body: 'Hi', room: { uuid: room.uuid } };
  await app.request('POST', '/api/v1/messages/', { visitor, body });
  const { rooms } = app.services;
  const { byUuid } = rooms;
  const looked = vi.spyOn(rooms, 'byUuid').mockImplementationOnce(async (...given) => {
    const found = await byUuid.apply(rooms, given);
    await send('PATCH', room.label, { label: `moved-${room.label}` });
    await write((await create({ label: room.label })).json.uuid, 'of somebody else');
    return found;
  });
  const answer = await app.request('PATCH', at(room.label), { visitor, body: { rating: 1 } });
  looked.mockRestore();
  expect([answer.status, answer.text]).toEqual([404, '{"detail":"Not found."}']);
  expect((await send('GET', room.label)).json.rating).toBe(null);
});

it("lets a visitor end its room's bot, and never start one", async () => {
  await app.request('PATCH', `/api/v1/widgets/${widget}/`, { token, body: { is_bot_use: true } });
  const { visitor, room } = await app.session(widget);
  await app.request('POST', '/api/v1/messages/', {
    visitor,
    body: { body: 'Hi', room: { uuid: room.uuid } },
  });
  const patch = async (is_bot_use: unknown) => {
    const { status, json } = await app.request('PATCH', at(room.label), { visitor, body: { is_bot_use } });
    return [status, json.is_bot_use];
  };
  expect(await patch(true)).toEqual([200, true]);
  expect(await patch(false)).toEqual([200, false]);
  expect(await patch(true)).toEqual([200, false]);
  expect((await patch('false'))[0]).toBe(400);
});

describe('DELETE /api/v1/rooms/<label>/', () => {
  it('deletes the room with its messages, and loses no event', async () => {
    const resume = holdEvents(app.services);
    const { label, uuid } = (await create()).json;
    const messages = await Promise.all(Array.from({ length: 5 }, () => write(uuid)));
    await waitingStill(app.services.models.rooms, uuid);
    await waitingStill(app.services.models.messages, messages[0]?.json.uuid);
    expect((await send('DELETE', label)).status).toBe(204);
    // Looked at before anything is announced: a moment later they are gone from there.
    const told = await buriedEvents(app.services);
    resume();
    expect((await send('GET', label)).status).toBe(404);
    for (const { json } of messages) {
      expect((await app.request('GET', `/api/v1/messages/${json.uuid}/`, { token })).status).toBe(404);
    }
    expect((await app.request('GET', `/api/v1/messages/?room=${uuid}`, { token })).json).toEqual([]);
    expect((await create({ label })).status).toBe(201);
    expect(told).toContainEqual(['chat.added', uuid]);
    expect(told).toContainEqual(['message.added', messages[0]?.json.uuid]);
  });

  it('is taken up again after a crash', async () => {
    const { label, uuid } = (await create()).json;
    await write(uuid);
    const { models, roomDeletion } = app.services;
    const crash = vi.spyOn(models.messages, 'deleteMany').mockImplementationOnce(() => {
      throw new Error('killed');
    });
    expect((await send('DELETE', label)).status).toBe(500);
    crash.mockRestore();
    const orphan = { body: 'late', _id: '00000000-0000-7000-8000-00000000000a', room: uuid };
    await models.messages.insertOne({ ...orphan, sent_at: new Date() } as never);
    await roomDeletion.resume(new Date(Date.now() + 61_000));
    expect(await models.messages.countDocuments({ room: uuid })).toBe(0);
    // It is kept in mind until the last event is out, whose delivery is to be erased as well.
    await vi.waitFor(
      async () => {
        await roomDeletion.resume(new Date(Date.now() + 61_000));
        expect(await models.roomDeletions.countDocuments({ room: uuid })).toBe(0);
      },
      { timeout: 60_000, interval: 100 },
    );
  });

  it('leaves a room alone whose deletion never came to pass', async () => {
    const { uuid, label } = (await create()).json;
    await write(uuid);
    const { models, roomDeletion } = app.services;
    const pending = { _id: uuid, account: 'x', room: uuid, begun_at: new Date(Date.now() + 1_000) };
    const room = await models.rooms.findOne({ _id: uuid }).lean();
    await models.roomDeletions.insertOne({ ...pending, account: room?.account ?? '' });
    await roomDeletion.resume(new Date(Date.now() + 120_000));
    expect((await send('GET', label)).json.messages).toHaveLength(1);
    expect(await models.roomDeletions.countDocuments({ room: uuid })).toBe(0);
  });

  it('lets a visitor begin anew, and later removes only what was sent before', async () => {
    const { visitor, room } = await app.session(widget);
    const say = (body: string) =>
      app.request('POST', '/api/v1/messages/', { visitor, body: { body, room: { uuid: room.uuid } } });
    await say('before');
    expect((await send('DELETE', room.label)).status).toBe(204);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await say('after')).status).toBe(201);
    await app.services.roomDeletion.resume(new Date(Date.now() + 120_000));
    const shown = (await send('GET', room.label)).json.messages;
    expect(shown.map(({ body }: { body: string }) => body)).toEqual(['after']);
  });

  it('keeps what its visitor says while the rest of it is erased', async () => {
    const { models, roomDeletion } = app.services;
    const { visitor, room } = await app.session(widget);
    const say = (body: string) =>
      app.request('POST', '/api/v1/messages/', {
        visitor,
        headers: { 'Idempotency-Key': body },
        body: { body, room: { uuid: room.uuid } },
      });
    await say('before');
    const inboxHas = (uuid: string) =>
      vi.waitFor(async () => {
        const conversation = await models.inbox.findOne({ _id: room.uuid }).lean();
        expect(conversation?.heard.recent.map(({ id }) => id)).toContain(uuid);
      });
    // What whoever comes back to the live channel is told of.
    const told = async () => {
      const entries = await models.realtimeEntries.find({ room: room.uuid, name: 'message.added' }).lean();
      expect(app.services.channel.recent.after(0)?.map(({ entry }) => entry._id)).toEqual(
        expect.arrayContaining(entries.map(({ _id }) => _id)),
      );
      return entries.map(({ data }) => (data as { body: string }).body);
    };
    const { deleteMany } = models.messages;
    const deleting = vi.spyOn(models.messages, 'deleteMany').mockImplementationOnce((async (
      filter: object,
    ) => {
      const said = await say('after');
      expect(said.status).toBe(201);
      await inboxHas(said.json.uuid);
      await vi.waitFor(async () => expect(await told()).toContain('after'), 20_000);
      await deleteMany.call(models.messages, filter as never);
    }) as never);
    expect((await send('DELETE', room.label)).status).toBe(204);
    deleting.mockRestore();
    for (const resumed of [false, true]) {
      if (resumed) await roomDeletion.resume(new Date(Date.now() + 120_000));
      const { messages } = (await send('GET', room.label)).json;
      expect(await told()).toEqual(['after']);
      expect(messages.map(({ body }: { body: string }) => body)).toEqual(['after']);
      const again = await say('after');
      expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true']);
      const claims = (await models.idempotency.find({ subject: room.uuid }).lean()).map(
        ({ answer }) => answer,
      );
      expect(claims).toEqual([expect.objectContaining({ body: expect.stringContaining('after') })]);
      const listed = (await app.request('GET', '/api/v1/conversations/', { token })).json;
      expect(listed).toContainEqual(expect.objectContaining({ uuid: room.uuid }));
    }
  });
});
