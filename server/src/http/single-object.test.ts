import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../test/app.ts';

const app = testApp();
let token = '';
let path = '';
let etag = '';

beforeAll(async () => {
  token = (await app.account()).token;
  const made = await app.request('POST', '/api/v1/rooms/', { token });
  path = `/api/v1/rooms/${made.json.label}/`;
  etag = made.headers.etag ?? '';
});

const get = (headers: Record<string, string>, method = 'GET') =>
  app.request(method, path, { token, headers });

describe('ETag', () => {
  it('is the same in the answers to POST, GET and HEAD', async () => {
    expect((await get({})).headers.etag).toBe(etag);
    expect((await get({}, 'HEAD')).headers.etag).toBe(etag);
  });

  it('names the representation: another number of messages is another one', async () => {
    const room = (await get({})).json;
    await app.request('POST', '/api/v1/messages/', {
      token,
      body: { body: 'Hi', room: { uuid: room.uuid } },
    });
    const now = await get({});
    expect(now.headers.etag).not.toBe(etag);
    etag = now.headers.etag ?? '';
  });

  it('gets 304 without a body by If-None-Match', async () => {
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await get({ 'if-none-match': known }, method);
        expect([known, answer.status, answer.text, answer.headers.etag]).toEqual([known, 304, '', etag]);
      }
    }
    for (const unknown of ['"other"', etag.slice(1, -1), '""', '"-gzip"', 'nonsense']) {
      expect((await get({ 'if-none-match': unknown })).status).toBe(200);
    }
  });

  it('is a condition of a change also in the weak form that a compressing proxy gives it', async () => {
    const patch = (tag: string) =>
      app.request('PATCH', path, { token, body: { name: 'Lamps' }, headers: { 'if-match': tag } });
    const before = (await get({})).headers.etag ?? '';
    const changed = await patch(`W/${before}`);
    expect([changed.status, changed.json.name]).toEqual([200, 'Lamps']);
    for (const tag of [before, `W/${before}`, `"other", W/${before}`, '', ','])
      expect((await patch(tag)).status).toBe(412);
    expect((await patch(`"other", W/${changed.headers.etag}`)).status).toBe(200);
  });

  it('is known with what a compressing proxy adds to it, to reads and as a condition of a change', async () => {
    const { token: stranger } = await app.account();
    const other = (await app.request('POST', '/api/v1/rooms/', { token: stranger })).headers.etag ?? '';
    const ends = ['-gzip', '-br', '-zstd', '-deflate', ';gzip'];
    const marked = (tag: string, end: string) => `${tag.slice(0, -1)}${end}"`;
    const patch = (tag: string) =>
      app.request('PATCH', path, { token, body: {}, headers: { 'if-match': tag } });
    const now = (await get({})).headers.etag ?? '';
    const statuses = async (tag: string) => [
      tag,
      (await get({ 'if-none-match': tag })).status,
      (await patch(tag)).status,
    ];
    for (const end of ends) {
      for (const known of [marked(now, end), `W/${marked(now, end)}`, `"other", ${marked(now, end)}`]) {
        expect(await statuses(known)).toEqual([known, 304, 200]);
        expect((await get({ 'if-none-match': known })).headers.etag).toBe(now);
      }
      const unknown = [
        marked(other, end),
        marked(marked(now, end), end),
        marked(`${now.slice(0, -2)}"`, end),
      ];
      for (const tag of unknown) expect(await statuses(tag)).toEqual([tag, 200, 412]);
    }
    for (const tag of [marked(now, '-'), marked(now, 'gzip'), marked(now, '-other'), `${now}-gzip`])
      expect(await statuses(tag)).toEqual([tag, 200, 412]);
  });
});
