import { randomUUID } from 'node:crypto';
import { newIdempotencyKey } from '@parlor/shared/idempotency-key';
import type { CommandStartedEvent } from 'mongodb';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../test/app.ts';

const app = testApp();
let token = '';
let other = '';
let widget = '';

beforeAll(async () => {
  ({ token, widget } = await app.account());
  other = (await app.account()).token;
});

const post = (key: string, body?: unknown, more = {}) =>
  app.request('POST', '/api/v1/rooms/', { token, body, headers: { 'idempotency-key': key }, ...more });

describe('Idempotency-Key', () => {
  it('replays the first answer to an equal request', async () => {
    const key = randomUUID();
    const first = await post(key, { name: 'One', rating: 1 });
    const again = await post(key, { rating: 1.0, name: 'One' });
    expect([again.status, again.text]).toEqual([201, first.text]);
    for (const name of ['etag', 'location', 'content-type']) {
      expect(again.headers[name]).toBe(first.headers[name]);
    }
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('repeats the headers that the first answer had, and no others', async () => {
    const { uuid } = (await app.request('POST', '/api/v1/workflows/', { token, body: { name: 'A' } })).json;
    const subscribed = { event: 'lead.added', target: 'http://127.0.0.1:49999/' };
    const webhook = (await app.request('POST', '/api/v1/webhooks/', { token, body: subscribed })).json.uuid;
    for (const path of [
      `workflows/${uuid}/rotate-key/`,
      `webhooks/${webhook}/test/`,
      `webhooks/${webhook}/secret/rotate/`,
      'conversations/bulk/',
    ]) {
      const body = path.includes('bulk') ? { uuids: [randomUUID()], status: 'done' } : {};
      const headers = { 'idempotency-key': randomUUID() };
      const ask = () => app.request('POST', `/api/v1/${path}`, { token, headers, body });
      const [first, again] = [await ask(), await ask()];
      const shown = ({ status, headers: all }: typeof first) => ({
        ...{ path, status },
        ...Object.fromEntries(
          ['content-type', 'location', 'etag', 'cache-control'].map((name) => [name, all[name]]),
        ),
      });
      expect(shown(again)).toEqual(shown(first));
      expect([path, again.headers['idempotency-replayed']]).toEqual([path, 'true']);
    }
  });

  it('makes one object and 100 equal answers of 100 requests at once', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 100 }, () => post(key, { name: 'Many' })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    expect(await app.services.models.rooms.countDocuments({ name: 'Many' })).toBe(1);
  });

  it('is a 422 with another body or path', async () => {
    const key = randomUUID();
    await post(key, { name: 'One' });
    const body = await post(key, { name: 'Two' });
    expect([body.status, body.json.detail]).toEqual([
      422,
      'Idempotency-Key was already used for another request.',
    ]);
    const path = await app.request('POST', '/api/v1/messages/', {
      token,
      body: { name: 'One' },
      headers: { 'idempotency-key': key },
    });
    expect(path.status).toBe(422);
  });

  it('knows one path with and without the slash', async () => {
    const key = randomUUID();
    const first = await post(key, {});
    const again = await app.request('POST', '/api/v1/rooms', {
      token,
      body: {},
      headers: { 'idempotency-key': key },
    });
    expect(again.text).toBe(first.text);
  });

  it('belongs to one account, and to one visitor', async () => {
    const key = randomUUID();
    const own = await post(key, {});
    const foreign = await post(key, {}, { token: other });
    expect(foreign.status).toBe(201);
    expect(foreign.json.uuid).not.toBe(own.json.uuid);
    const visitors = [await app.session(widget), await app.session(widget)];
    const written = await Promise.all(
      visitors.map(({ visitor, room }) =>
        app.request('POST', '/api/v1/messages/', {
          visitor,
          body: { body: 'Hi', room: { uuid: room.uuid } },
          headers: { 'idempotency-key': key },
        }),
      ),
    );
    expect(written.map(({ status }) => status)).toEqual([201, 201]);
  });

  it('is free again after a refusal', async () => {
    const key = randomUUID();
    expect((await post(key, { rating: 9 })).status).toBe(400);
    expect((await post(key, { rating: 5 })).status).toBe(201);
  });

  it('goes on after a defect with what was made, for the same request alone', async () => {
    const key = randomUUID();
    // Also for whoever else announces something meanwhile, who must not use it up.
    const spy = vi.spyOn(app.services.relay, 'announce').mockImplementation(() => {
      throw new Error('after the write');
    });
    expect((await post(key, { name: 'Defect' })).status).toBe(500);
    spy.mockRestore();
    expect((await post(key, { name: 'Other' })).status).toBe(422);
    expect((await post(key, { name: 'Defect' })).status).toBe(201);
    expect(await app.services.models.rooms.countDocuments({ name: 'Defect' })).toBe(1);
  });

  it.each(['', 'x'.repeat(256), 'caf\u00e9', 'tab\there'])('is a 400 when it is %j', async (key) => {
    expect((await post(key)).status).toBe(400);
  });

  it('takes over from a process that was killed: under the same uuid, also with a label of its own', async () => {
    const key = randomUUID();
    const made = await post(key, { label: `crash-${key}`, name: 'Crash' });
    const claims = app.services.models.idempotency;
    const claim = await claims.findOne({ object: made.json.uuid }).lean();
    // As a crash between the object's write and the answer's leaves it.
    await claims.updateOne({ _id: claim?._id }, { $unset: { answer: 1 } });
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 31_000);
    const again = await post(key, { label: `crash-${key}`, name: 'Crash' });
    clock.mockRestore();
    expect([again.status, again.text]).toEqual([201, made.text]);
    expect(await app.services.models.rooms.countDocuments({ name: 'Crash' })).toBe(1);
  });

  it('finds a message and a note for good under a UUID of version 7, of the same sender alone', async () => {
    const { visitor, room } = await app.session(widget);
    const foreign = await app.session(widget);
    const key = newIdempotencyKey(Date.now());
    const headers = { 'idempotency-key': key };
    const say = (body: string, by = { visitor, room }) =>
      app.request('POST', '/api/v1/messages/', {
        visitor: by.visitor,
        headers,
        body: { body, room: { uuid: by.room.uuid } },
      });
    const notes = `/api/v1/conversations/${room.uuid}/notes/`;
    const note = () => app.request('POST', notes, { token, headers, body: { body: 'Calls tomorrow.' } });
    const first = await say('Hi');
    await expect.poll(async () => (await note()).status).toBe(201);
    const noted = await note();
    // As after 24 hours.
    await app.services.models.idempotency.deleteMany({});
    const [again, notedAgain] = [await say('Hi'), await note()];
    expect([again.status, again.json.uuid]).toEqual([201, first.json.uuid]);
    expect([notedAgain.status, notedAgain.json.uuid]).toEqual([201, noted.json.uuid]);
    expect(again.json.sent_at).toBe(first.json.sent_at);
    expect(first.json.uuid.slice(0, 13)).toBe(key.slice(0, 13));
    await app.services.models.idempotency.deleteMany({});
    const others = [await say('Hello'), await say('Hi', foreign)];
    expect(others.map(({ status }) => status)).toEqual([201, 201]);
    expect(new Set([first, ...others].map(({ json }) => json.uuid)).size).toBe(3);
    expect(await app.services.models.messages.countDocuments({ room: room.uuid })).toBe(2);
    // Of everything else a key is good for 24 hours.
    const rooms = [await post(key, { name: 'Kept' })];
    await app.services.models.idempotency.deleteMany({});
    rooms.push(await post(key, { name: 'Kept' }));
    expect(new Set(rooms.map(({ json }) => json.uuid)).size).toBe(2);
  });

  it('is a 409 while the first is still running', async () => {
    const key = randomUUID();
    const made = await post(key, {});
    const claims = app.services.models.idempotency;
    await claims.updateOne({ object: made.json.uuid }, { $unset: { answer: 1 } });
    const answer = await post(key, {});
    expect([answer.status, answer.headers['retry-after']]).toEqual([409, '1']);
  });

  it('has 100 requests wait for the first together, and is a 409 to one more at once', async () => {
    const key = randomUUID();
    const made = await post(key, {});
    const claims = app.services.models.idempotency;
    const own = { object: made.json.uuid };
    const answer = (await claims.findOne(own).lean())?.answer;
    await claims.updateOne(own, { $unset: { answer: 1 } });
    let looks = 0;
    const count = ({ command }: CommandStartedEvent) => {
      if (command.find === claims.collection.name) looks++;
    };
    const client = claims.db.getClient();
    client.on('commandStarted', count);
    onTestFinished(() => void client.off('commandStarted', count));
    const answered: number[] = [];
    const repeats = Array.from({ length: 101 }, async () => {
      const { status, text } = await post(key, {});
      answered.push(status);
      return text;
    });
    await expect.poll(() => answered).toEqual([409]);
    await claims.updateOne(own, { $set: { answer } });
    const texts = await Promise.all(repeats);
    expect(answered).toEqual([409, ...Array(100).fill(201)]);
    expect(texts.filter((text) => text === made.text)).toHaveLength(100);
    // Each once before it waits; by itself it would look once more at least.
    expect(looks).toBeLessThan(101 + 100);
  });

  it('stores neither the key nor who used it in the clear', async () => {
    const key = `a key to look for ${randomUUID()}`;
    await post(key, {});
    expect(JSON.stringify(await app.services.models.idempotency.find({}).lean())).not.toContain(key);
  });
});
