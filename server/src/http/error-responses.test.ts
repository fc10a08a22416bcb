import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../test/app.ts';

const app = testApp();
let token = '';

beforeAll(async () => {
  token = (await app.account()).token;
});

describe('an error', () => {
  it('is problem+json when, and only when, Accept prefers it', async () => {
    const ask = (accept: string) =>
      app.request('POST', '/api/v1/rooms/', { token, body: { rating: 9 }, headers: { accept } });
    const problem = await ask('application/problem+json');
    expect(problem.headers['content-type']).toBe('application/problem+json');
    expect(problem.json).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'Invalid input.',
      errors: { rating: ['Ensure this value is less than or equal to 5.'] },
    });
    const preferred = 'application/json;q=0.5, application/problem+json';
    expect((await ask(preferred)).headers['content-type']).toBe('application/problem+json');
    // A longer one is not read.
    const long = `application/problem+json, x/${'y'.repeat(1_000 - 28)}`;
    expect([long.length, (await ask(long)).headers['content-type']]).toEqual([
      1_000,
      'application/problem+json',
    ]);
    expect((await ask(`${long}y`)).headers['content-type']).toBe('application/json; charset=utf-8');
    for (const accept of [
      '*/*',
      'application/json',
      'text/html',
      'application/json, application/problem+json',
      'application/problem+json;q=0.1, application/json',
      'nonsense',
      '',
    ]) {
      const answer = await ask(accept);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.json).toEqual({ rating: ['Ensure this value is less than or equal to 5.'] });
    }
  });

  it('of the agent API is its own, however the path is written', async () => {
    for (const path of ['/api/v1/public/conversations/start', '/API/v1/Public/conversations/start']) {
      const { status, json } = await app.request('POST', path, { body: {} });
      expect([path, status, Object.keys(json)]).toEqual([path, 401, ['error']]);
    }
  });

  it('that nobody expected says nothing but the request id', async () => {
    const secret = 'the stack must not show';
    const spy = vi.spyOn(app.services.models.rooms, 'findOne').mockImplementation(() => {
      throw new Error(secret);
    });
    const answer = await app.request('GET', '/api/v1/rooms/x/', { token });
    spy.mockRestore();
    expect(answer.status).toBe(500);
    expect(answer.json).toEqual({
      detail: 'Internal server error.',
      request_id: answer.headers['x-request-id'],
    });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('of a database that is gone is a 503 that says so', async () => {
    const gone = Object.assign(new Error('connection 7 to 10.0.0.1 closed'), { name: 'MongoNetworkError' });
    const spy = vi.spyOn(app.services.models.rooms, 'findOne').mockImplementation(() => {
      throw gone;
    });
    const answer = await app.request('GET', '/api/v1/rooms/x/', { token });
    spy.mockRestore();
    expect([answer.status, answer.json.detail]).toEqual([503, 'The database is not reachable. Try again.']);
    expect(answer.headers['retry-after']).toBe('1');
  });
});

describe('every answer', () => {
  it('carries an X-Request-Id of its own', async () => {
    const paths = ['/healthz', '/api/v1/rooms/', '/nothing', '/api/v1/auth/register', '/%ff'];
    const ids = await Promise.all(
      paths.map(async (path) => (await app.request('GET', path)).headers['x-request-id']),
    );
    expect(new Set(ids).size).toBe(paths.length);
    expect(ids).not.toContain(undefined);
  });

  it('is 405 with Allow for a method that a known path does not have', async () => {
    for (const [method, path, allow] of [
      ['PUT', '/api/v1/auth/register/', 'POST'],
      ['GET', '/api/v1/auth/api-token', 'POST'],
      ['PATCH', '/api/v1/messages/', 'GET, HEAD, POST'],
      ['POST', '/healthz', 'GET, HEAD'],
      ['PROPFIND', '/api/v1/messages', 'GET, HEAD, POST'],
    ] as const) {
      const answer = await app.request(method, path, { token });
      expect([method, path, answer.status, answer.headers.allow]).toEqual([method, path, 405, allow]);
      expect(answer.json).toEqual({ detail: `Method "${method}" not allowed.` });
    }
  });

  it('is 404 for an unknown path, whatever the method', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PROPFIND']) {
      const answer = await app.request(method, '/api/v1/nothing/', { token });
      expect([answer.status, answer.json]).toEqual([404, { detail: 'Not found.' }]);
    }
  });

  it('to HEAD is that to GET without its body', async () => {
    const get = await app.request('GET', '/api/v1/rooms/', { token });
    const head = await app.request('HEAD', '/api/v1/rooms/', { token });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect((await app.request('HEAD', '/api/v1/rooms/')).status).toBe(401);
  });

  it('to a label or a token that is longer than any is 404', async () => {
    const { token } = await app.account();
    const long = `application/problem+json, x/${'y'.repeat(1_000 - 28)}`;
    const paths = ['rooms', 'leads', 'messages', 'workflows', 'webhooks', 'keywords', 'deliveries'];
    for (const path of paths)
      expect((await app.request('GET', `/api/v1/${path}/${long}/`, { token })).status).toBe(404);
    for (const method of ['PATCH', 'PUT', 'DELETE', 'GET'])
      expect((await app.request(method, `/api/v1/rooms/${long}/`, { token, body: {} })).status).toBe(404);
    for (const method of ['PATCH', 'PUT', 'DELETE'])
      expect((await app.request(method, `/api/v1/widgets/${long}/`, { token, body: {} })).status).toBe(404);
    expect((await app.request('GET', `/api/v1/widgets/?token=${long}`)).status).toBe(404);
    expect((await app.request('POST', `/api/v1/widgets/${long}/sessions/`)).status).toBe(404);
  });

  it('survives any Host header', async () => {
    for (const host of ['x y', '[', 'a:b:c', '', 'evil.example/..', '"']) {
      for (let made = 0; made < 2; made++) {
        expect((await app.request('POST', '/api/v1/rooms/', { token, headers: { host } })).status).toBe(201);
      }
      const list = await app.request('GET', '/api/v1/rooms/?limit=1', { token, headers: { host } });
      expect([host, list.status]).toEqual([host, 200]);
      expect(list.headers.link).toMatch(/^<.*\?limit=1&cursor=.*>; rel="next"$/);
    }
  });
});
