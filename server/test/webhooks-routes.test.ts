import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { testApp } from './app.ts';
import { bodyMediaOf, comparedWithDocument, document, mismatches } from './openapi.ts';
import { startReceiver, until } from './webhooks-parts.ts';

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

  test('a target stands as its owner wrote it, and all that tells of it is as the document says', async () => {
    const undocumented: string[] = [];
    const request = comparedWithDocument(app, (fault) => undocumented.push(fault));
    const receiver = await startReceiver();
    const { token } = await app.account();
    const targets = ['?ä=1', '/{id}', '/a|b^c', '/%zz', '/"x"', '/a\\b', '/a#b#c', '/`<>'].map(
      (end) => receiver.url + end,
    );
    for (const target of [...targets, 'HTTPS://exämple.com/h']) {
      const body = { event: 'chat.added', target };
      const { status, json } = await request('POST', '/api/v1/webhooks/', { token, body });
      expect([target, status, json.target]).toEqual([target, 201, target]);
      await request('PATCH', `/api/v1/webhooks/${json.uuid}/`, { token, body });
    }
    await request('POST', '/api/v1/rooms/', { token, body: { name: 'A room' } });
    await until(() => receiver.hits.length === targets.length);
    expect((await request('GET', '/api/v1/webhooks/', { token })).json).toHaveLength(targets.length + 1);
    expect((await request('GET', '/api/v1/deliveries/', { token })).json).toHaveLength(targets.length + 1);
    const { schema } = bodyMediaOf(document.webhooks?.['chat.added']?.post);
    for (const { json } of receiver.hits)
      expect([json.webhook, mismatches(schema, json)]).toEqual([json.webhook, []]);
    expect(receiver.hits.map(({ json }) => json.webhook.target).sort()).toEqual(targets.sort());
    expect(undocumented).toEqual([]);
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
