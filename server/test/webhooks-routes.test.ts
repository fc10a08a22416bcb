import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { testApp } from './app.ts';
import { sleep, startReceiver, until } from './webhooks-parts.ts';

const app = testApp({ WEBHOOK_RETRY_DELAYS: '50ms,100ms', WEBHOOK_TIMEOUT: '1s' });
const strict = testApp({ WEBHOOK_ALLOW_PRIVATE: 'false' });

const TARGET = 'https://example.com/hooks/chat';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const subscribe = async (token: string, target = TARGET, event = 'message.added') =>
  app.request('POST', '/api/v1/webhooks/', { token, body: { event, target } });

describe('webhooks', () => {
  test('create, retrieve, replace, change, destroy', async () => {
    const { token } = await app.account();
    const created = await subscribe(token);
    expect(created.status).toBe(201);
    const { uuid } = created.json;
    expect(uuid).toMatch(UUID);
    expect(Object.keys(created.json)).toEqual(['uuid', 'event', 'target']);
    expect(created.headers.location).toMatch(new RegExp(`/api/v1/webhooks/${uuid}/$`));

    const path = `/api/v1/webhooks/${uuid}/`;
    const one = await app.request('GET', path, { token });
    expect([one.status, one.json]).toEqual([200, created.json]);
    expect(one.headers.etag).toBe(created.headers.etag);

    const body = { event: 'lead.added', target: 'https://example.com/other' };
    expect((await app.request('PUT', path, { token, body })).json).toEqual({ uuid, ...body });
    const changed = await app.request('PATCH', path, {
      token,
      body: { event: 'chat.added', uuid: randomUUID() },
    });
    expect(changed.json).toEqual({ uuid, event: 'chat.added', target: body.target });
    expect(
      (
        await app.request('PATCH', path.toUpperCase().replace('/API/V1/WEBHOOKS', '/api/v1/webhooks'), {
          token,
          body: {},
        })
      ).json,
    ).toEqual(changed.json);

    const gone = await app.request('DELETE', path, { token });
    expect([gone.status, gone.text]).toEqual([204, '']);
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const after = await app.request(method, path, { token, ...(method !== 'GET' && { body }) });
      expect([method, after.status, after.json]).toEqual([method, 404, { detail: 'Not found.' }]);
    }
  });

  test('with and without a slash at the end is the same', async () => {
    const { token } = await app.account();
    const { json } = await app.request('POST', '/api/v1/webhooks', {
      token,
      body: { event: 'chat.added', target: TARGET },
    });
    expect((await app.request('GET', `/api/v1/webhooks/${json.uuid}`, { token })).json).toEqual(json);
    expect((await app.request('GET', '/api/v1/webhooks', { token })).json).toEqual([json]);
  });

  test('a list is newest first, in pages', async () => {
    const { token } = await app.account();
    const made: unknown[] = [];
    for (let n = 0; n < 5; n++) made.unshift((await subscribe(token, `${TARGET}/${n}`)).json);
    expect((await app.request('GET', '/api/v1/webhooks/', { token })).json).toEqual(made);
    const first = await app.request('GET', '/api/v1/webhooks/?limit=3', { token });
    expect(first.json).toEqual(made.slice(0, 3));
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.link ?? '')?.[1] ?? '';
    const { pathname, search } = new URL(next);
    const second = await app.request('GET', pathname + search, { token });
    expect([second.json, second.headers.link]).toEqual([made.slice(3), undefined]);
    expect((await app.request('GET', '/api/v1/webhooks/?end_date=2020-01-01', { token })).json).toEqual([]);
  });

  test.each<[unknown, object]>([
    [{}, { event: ['This field is required.'], target: ['This field is required.'] }],
    [
      { event: null, target: null },
      { event: ['This field may not be null.'], target: ['This field may not be null.'] },
    ],
    [{ event: 'chat.gone', target: TARGET }, { event: ['"chat.gone" is not a valid choice.'] }],
    [{ event: 5, target: TARGET }, { event: ['Not a valid string.'] }],
    [{ event: 'chat.added', target: 'ftp://example.com/' }, { target: ['Enter a valid URL.'] }],
    [{ event: 'chat.added', target: 'example.com' }, { target: ['Enter a valid URL.'] }],
    [{ event: 'chat.added', target: 'http://' }, { target: ['Enter a valid URL.'] }],
    [{ event: 'chat.added', target: 'http://[::1' }, { target: ['Enter a valid URL.'] }],
    [
      { event: 'chat.added', target: `http://${'x'.repeat(300)}.example/` },
      { target: ['Enter a valid URL.'] },
    ],
    [{ event: 'chat.added', target: 'http://256.1.1.1/' }, { target: ['Enter a valid URL.'] }],
    [
      { event: 'chat.added', target: 'https://ada:secret@example.com/' },
      { target: ['A user name or password in the URL is not allowed.'] },
    ],
    [
      { event: 'chat.added', target: `https://example.com/${'x'.repeat(2_000)}` },
      { target: ['Ensure this field has no more than 2000 characters.'] },
    ],
    [[], { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] }],
  ])('%j is a 400', async (body, errors) => {
    const { token } = await app.account();
    const made = await app.request('POST', '/api/v1/webhooks/', { token, body });
    expect([made.status, made.json]).toEqual([400, errors]);
  });

  test('a target of 2 000 characters, of four bytes each, is taken', async () => {
    const { token } = await app.account();
    const start = 'https://example.com/';
    const target = start + '🦉'.repeat(2_000 - start.length);
    expect((await subscribe(token, target)).json.target === target).toBe(true);
    expect((await subscribe(token, target)).status).toBe(400);
  });

  test('the same event and target twice is a 400, by POST, PUT and PATCH', async () => {
    const { token } = await app.account();
    await subscribe(token);
    const errors = { non_field_errors: ['The fields event, target must make a unique set.'] };
    const again = await subscribe(token);
    expect([again.status, again.json]).toEqual([400, errors]);
    const { json: other } = await subscribe(token, TARGET, 'chat.added');
    const path = `/api/v1/webhooks/${other.uuid}/`;
    const put = await app.request('PUT', path, { token, body: { event: 'message.added', target: TARGET } });
    expect([put.status, put.json]).toEqual([400, errors]);
    const patch = await app.request('PATCH', path, { token, body: { event: 'message.added' } });
    expect([patch.status, patch.json]).toEqual([400, errors]);
    const stranger = await app.account();
    expect((await subscribe(stranger.token)).status).toBe(201);
  });

  test('at once, one of many wins', async () => {
    const { token } = await app.account();
    const answers = await Promise.all(Array.from({ length: 10 }, () => subscribe(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(400)]);
  });

  test('another account’s webhook is a 404 on every route', async () => {
    const { token } = await app.account();
    const stranger = await app.account();
    const { uuid } = (await subscribe(stranger.token)).json;
    const body = { event: 'chat.added', target: TARGET };
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', 'secret/'],
      ['POST', 'secret/rotate/'],
      ['POST', 'test/'],
      ['GET', 'deliveries/'],
    ] as const) {
      const answer = await app.request(method, `/api/v1/webhooks/${uuid}/${path}`, {
        token,
        ...(method !== 'GET' && { body }),
      });
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
    expect((await app.request('GET', '/api/v1/webhooks/', { token })).json).toEqual([]);
    expect((await app.request('GET', `/api/v1/webhooks/${uuid}/`, stranger)).status).toBe(200);
  });

  test('without a token 401, a malformed uuid 404, another method 405', async () => {
    const { token } = await app.account();
    expect((await app.request('GET', '/api/v1/webhooks/')).status).toBe(401);
    expect((await app.request('GET', '/api/v1/deliveries/')).status).toBe(401);
    expect((await app.request('GET', '/api/v1/webhooks/nothing/', { token })).status).toBe(404);
    expect((await app.request('DELETE', '/api/v1/webhooks/', { token })).status).toBe(405);
  });

  test('If-Match: of two changes with one ETag one wins', async () => {
    const { token } = await app.account();
    const { json, headers } = await subscribe(token);
    const path = `/api/v1/webhooks/${json.uuid}/`;
    const change = (event: string) =>
      app.request('PATCH', path, { token, body: { event }, headers: { 'If-Match': headers.etag ?? '' } });
    const answers = await Promise.all([change('chat.added'), change('lead.added')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const stale = { token, headers: { 'If-Match': headers.etag ?? '' } };
    expect((await app.request('DELETE', path, stale)).status).toBe(412);
  });

  test('an Idempotency-Key makes one webhook, and a retry after a crash finds it', async () => {
    const { token, id } = await app.account();
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { event: 'chat.added', target: TARGET };
    const first = await app.request('POST', '/api/v1/webhooks/', { token, body, headers });
    const again = await app.request('POST', '/api/v1/webhooks/', { token, body, headers });
    expect([again.status, again.json]).toEqual([201, first.json]);
    expect(again.headers['idempotency-replayed']).toBe('true');
    const found = await app.services.webhooks.create(
      id,
      { event: 'chat.added', target: TARGET },
      first.json.uuid,
    );
    expect(found._id).toBe(first.json.uuid);
  });

  test('literals and localhost names are refused where private addresses are, as are ports of mail and user names', async () => {
    const { token } = await strict.account();
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:10.0.0.1]', '0x7f.1', '169.254.169.254']) {
      const body = { event: 'chat.added', target: `http://${host}:8080/` };
      const answer = await strict.request('POST', '/api/v1/webhooks/', { token, body });
      expect([host, answer.status, answer.json]).toEqual([
        host,
        400,
        { target: ['The target must be a public address.'] },
      ]);
    }
    for (const [place, why] of [
      ['@hook.example.com', 'A user name or password in the URL is not allowed.'],
      ['hook.example.com:0', 'Port 0 is not allowed.'],
      ['hook.example.com:25', 'Port 25 is not allowed.'],
    ]) {
      const body = { event: 'chat.added', target: `http://${place}/` };
      const answer = await strict.request('POST', '/api/v1/webhooks/', { token, body });
      expect([place, answer.status, answer.json]).toEqual([place, 400, { target: [why] }]);
    }
    const { json } = await strict.request('POST', '/api/v1/webhooks/', {
      token,
      body: { event: 'chat.added', target: TARGET },
    });
    const body = { target: 'http://127.0.0.1/' };
    expect((await strict.request('PATCH', `/api/v1/webhooks/${json.uuid}/`, { token, body })).status).toBe(
      400,
    );
  });
});

describe('secrets', () => {
  /** @throws unless the hit is signed by `secret`, beside others */
  const verify = (secret: string, hit: { body: string; headers: IncomingHttpHeaders } | undefined) =>
    new Webhook(secret).verify(hit?.body ?? '', hit?.headers as Record<string, string>);

  test('are shown, and rotated once under one Idempotency-Key, which keeps no secret', async () => {
    const { token } = await app.account();
    const { uuid } = (await subscribe(token)).json;
    const path = `/api/v1/webhooks/${uuid}/secret/`;
    const shown = await app.request('GET', path, { token });
    expect(shown.json.secret).toMatch(/^whsec_/);
    expect(shown.headers['cache-control']).toBe('no-store');
    const headers = { 'Idempotency-Key': randomUUID() };
    const rotated = await app.request('POST', `${path}rotate/`, { token, headers });
    expect(rotated.status).toBe(200);
    expect(Object.keys(rotated.json)).toEqual(['secret', 'previous_expires_at']);
    expect(rotated.json.secret).not.toBe(shown.json.secret);
    expect(rotated.json.previous_expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
    const replayed = await app.request('POST', `${path}rotate/`, { token, headers });
    expect(replayed.json).toEqual(rotated.json);
    expect((await app.request('GET', path, { token })).json).toEqual({ secret: rotated.json.secret });
    const kept = JSON.stringify(await app.services.models.idempotency.find({}).lean());
    expect(kept).not.toContain('whsec_');
    const stored = JSON.stringify(await app.services.models.webhooks.find({ _id: uuid }).lean());
    expect(stored).not.toContain(rotated.json.secret.slice('whsec_'.length));
  });

  test('every one that was shown signs on for its 24 hours, however many rotations follow', async () => {
    const { token } = await app.account();
    const receiver = await startReceiver();
    const { uuid } = (await subscribe(token, receiver.url)).json;
    const path = `/api/v1/webhooks/${uuid}/`;
    const shown = [(await app.request('GET', `${path}secret/`, { token })).json.secret];
    for (let n = 0; n < 3; n++) {
      shown.unshift((await app.request('POST', `${path}secret/rotate/`, { token })).json.secret);
    }
    await app.request('POST', `${path}test/`, { token });
    for (const one of shown) verify(one, receiver.hits[0]);
    expect(new Set(shown).size).toBe(4);
  });

  test('rotated by many at once, at most ten times a day, none that was shown is lost', async () => {
    const { token } = await app.account();
    const receiver = await startReceiver();
    const { uuid } = (await subscribe(token, receiver.url)).json;
    const path = `/api/v1/webhooks/${uuid}/`;
    const { secret } = (await app.request('GET', `${path}secret/`, { token })).json;
    const answers = await Promise.all(
      Array.from({ length: 13 }, () => app.request('POST', `${path}secret/rotate/`, { token })),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429]);
    expect(refused[0]?.json.detail).toMatch(/^A secret can be rotated 10 times in 24 hours\. Expected/);
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(86_000);
    await app.request('POST', `${path}test/`, { token });
    const [hit] = receiver.hits;
    for (const one of [secret, ...answers.flatMap(({ json }) => json.secret ?? [])]) verify(one, hit);
    expect(String(hit?.headers['webhook-signature']).split(' ')).toHaveLength(11);
  });
});

describe('the whole way', () => {
  const post = async (token: string, body = 'Do you deliver?') => {
    const { json: room } = await app.request('POST', '/api/v1/rooms/', { token });
    const message = { body, nickname: 'Ada', room: { uuid: room.uuid } };
    const { json } = await app.request('POST', '/api/v1/messages/', { token, body: message });
    return { room, message: json };
  };

  test('reaches a subscription that was made before the clock was put back', async () => {
    const { token } = await app.account();
    const receiver = await startReceiver((_, response) => response.writeHead(200).end());
    const { uuid } = (await subscribe(token, receiver.url)).json;
    const since = new Date(Date.now() + 3_600_000);
    await app.services.models.webhooks.updateOne({ _id: uuid }, { $set: { since } });
    const { message } = await post(token);
    await until(() => receiver.hits.length > 0, 'the delivery');
    expect(receiver.hits[0]?.json.data.uuid).toBe(message.uuid);
  });

  test('a message reaches the subscriber, and the log tells', async () => {
    const { token } = await app.account();
    const receiver = await startReceiver((_, response, number) =>
      response.writeHead(number === 1 ? 500 : 200).end('thanks'),
    );
    const { uuid } = (await subscribe(token, receiver.url)).json;
    const { secret } = (await app.request('GET', `/api/v1/webhooks/${uuid}/secret/`, { token })).json;
    const { room, message } = await post(token);
    const list = `/api/v1/webhooks/${uuid}/deliveries/`;
    const logged = await until(async () => {
      const { json } = await app.request('GET', list, { token });
      return json[0]?.state === 'delivered' && json;
    });
    const [first, second] = receiver.hits;
    const webhook = { uuid, event: 'message.added', target: receiver.url };
    const data = { ...message, room: { uuid: room.uuid, label: room.label } };
    expect(second?.body).toBe(JSON.stringify({ data, webhook }));
    expect(second?.body).toBe(first?.body);
    new Webhook(secret).verify(second?.body ?? '', second?.headers as Record<string, string>);
    expect(logged).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        event_id: second?.headers['webhook-id'],
        event: 'message.added',
        webhook,
        state: 'delivered',
        created_at: expect.stringMatching(/\+00:00$/),
        next_attempt_at: null,
        attempts: [
          {
            at: expect.any(String),
            status: 500,
            duration_ms: expect.any(Number),
            error: 'answered 500',
            response: 'thanks',
          },
          {
            at: expect.any(String),
            status: 200,
            duration_ms: expect.any(Number),
            error: null,
            response: 'thanks',
          },
        ],
      },
    ]);
    expect(Object.keys(logged[0])).toEqual([
      'id',
      'event_id',
      'event',
      'webhook',
      'state',
      'created_at',
      'next_attempt_at',
      'attempts',
    ]);
    const one = await app.request('GET', `/api/v1/deliveries/${logged[0].id}/`, { token });
    expect(one.json).toEqual(logged[0]);

    for (const path of [
      `/api/v1/deliveries/${logged[0].id}/redeliver/`,
      `${list}${logged[0].id}/redeliver/`,
    ]) {
      const before = receiver.hits.length;
      const again = await app.request('POST', path, { token });
      expect([again.status, again.json.event_id, again.json.state]).toEqual([
        202,
        logged[0].event_id,
        'pending',
      ]);
      expect(again.json.id).not.toBe(logged[0].id);
      await until(() => receiver.hits.length === before + 1);
      expect(receiver.hits.at(-1)?.body).toBe(first?.body);
    }
    const { uuid: other } = (await subscribe(token, TARGET)).json;
    const elsewhere = `/api/v1/webhooks/${other}/deliveries/${logged[0].id}/redeliver/`;
    expect((await app.request('POST', elsewhere, { token })).status).toBe(404);

    await app.request('DELETE', `/api/v1/webhooks/${uuid}/`, { token });
    expect((await app.request('GET', list, { token })).json).toHaveLength(3);
    const refused = await app.request('POST', `/api/v1/deliveries/${logged[0].id}/redeliver/`, { token });
    expect(refused.status).toBe(409);
  });

  test('the log is filtered and paged, and is the account’s own', async () => {
    const { token } = await app.account();
    const well = await startReceiver();
    const ill = await startReceiver((_, response) => response.writeHead(404).end());
    const { uuid: a } = (await subscribe(token, well.url)).json;
    const { uuid: b } = (await subscribe(token, ill.url, 'chat.added')).json;
    await post(token);
    await post(token);
    const get = async (query: string) =>
      (await app.request('GET', `/api/v1/deliveries/${query}`, { token })).json;
    await until(async () => (await get('?state=pending')).length === 0 && (await get('')).length === 4);
    const count = async (query: string): Promise<number> => (await get(query)).length;
    expect(await count('?state=delivered')).toBe(2);
    expect(await count('?state=failed')).toBe(2);
    expect(await count(`?webhook=${a}`)).toBe(2);
    expect(await count(`?webhook=${b.toUpperCase()}&state=failed`)).toBe(2);
    expect(await count(`?webhook=${b}&state=delivered`)).toBe(0);
    expect(await count('?event=chat.added')).toBe(2);
    expect(await count('?event=lead.added')).toBe(0);
    expect(await count('?event=chat.added&state=failed')).toBe(2);
    expect(await count('?start_date=2020-01-01')).toBe(4);
    expect(await count('?end_date=2020-01-01')).toBe(0);
    const page = await app.request('GET', '/api/v1/deliveries/?state=failed&limit=1', { token });
    expect(page.json).toHaveLength(1);
    expect(page.headers.link).toContain('state=failed');
    for (const query of ['?state=lost', '?event=x', '?webhook=x', '?state=failed&state=failed']) {
      expect((await app.request('GET', `/api/v1/deliveries/${query}`, { token })).status).toBe(400);
    }
    const stranger = await app.account();
    expect((await app.request('GET', '/api/v1/deliveries/', stranger)).json).toEqual([]);
    const path = `/api/v1/deliveries/${page.json[0].id}`;
    expect((await app.request('GET', `${path}/`, stranger)).status).toBe(404);
    expect((await app.request('POST', `${path}/redeliver/`, stranger)).status).toBe(404);
  });

  test('a test send answers 200 with what came of it, whatever the target did', async () => {
    const { token } = await app.account();
    const receiver = await startReceiver((hit, response) => {
      if (hit.path === '/hangs') return sleep(1_500);
      return response.writeHead(hit.path === '/hook' ? 201 : 500).end('hm');
    });
    const send = async (target: string) => {
      const { uuid } = (await subscribe(token, target)).json;
      return app.request('POST', `/api/v1/webhooks/${uuid}/test/`, { token });
    };
    const well = await send(receiver.url);
    expect([well.status, well.json]).toEqual([
      200,
      { delivered: true, status: 201, duration_ms: expect.any(Number), error: null, response: 'hm' },
    ]);
    expect((await send(`${receiver.origin}/ill`)).json).toMatchObject({ delivered: false, status: 500 });
    expect((await send(`${receiver.origin}/hangs`)).json).toMatchObject({
      delivered: false,
      status: null,
      error: 'no status line and headers within 1 s',
      response: '',
    });
    expect((await app.request('GET', '/api/v1/deliveries/', { token })).json).toEqual([]);
  });

  test('a redelivery under one Idempotency-Key happens once', async () => {
    const { token } = await app.account();
    const receiver = await startReceiver();
    const { uuid } = (await subscribe(token, receiver.url)).json;
    await post(token);
    const [logged] = await until(async () => {
      const { json } = await app.request('GET', '/api/v1/deliveries/?state=delivered', { token });
      return json.length > 0 && json;
    });
    const headers = { 'Idempotency-Key': randomUUID() };
    const path = `/api/v1/webhooks/${uuid}/deliveries/${logged.id}/redeliver/`;
    const first = await app.request('POST', path, { token, headers });
    const again = await app.request('POST', path, { token, headers });
    expect(again.json.id).toBe(first.json.id);
    await sleep(200);
    expect(receiver.hits).toHaveLength(2);
  });
});
