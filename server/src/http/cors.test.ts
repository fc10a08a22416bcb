import { beforeAll, describe, expect, it } from 'vitest';
import { testAgent } from '../../test/agent.ts';
import { testApp } from '../../test/app.ts';

const app = testApp();
const PAGE = 'https://shop.example.com';
let token = '';
let widget = '';
let closed = '';

beforeAll(async () => {
  const account = await app.account();
  ({ token, widget } = account);
  closed = (await app.services.widgets.create(account.id, { domain: 'https://example.com' })).token;
});

const preflight = (path: string, origin = PAGE, method = 'POST') =>
  app.request('OPTIONS', path, {
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });

describe('CORS', () => {
  it('lets a page open a session where the widget sets no domain, and where it allows the page', async () => {
    for (const token of [widget, closed]) {
      const answer = await preflight(`/api/v1/widgets/${token}/sessions/`);
      expect(answer.status).toBe(204);
      expect(answer.headers['access-control-allow-origin']).toBe(PAGE);
      expect(answer.headers['access-control-allow-methods']).toMatch(/POST/);
      expect(answer.headers['access-control-allow-headers']).toMatch(/Idempotency-Key/i);
      expect(answer.headers.vary).toMatch(/Origin/i);
    }
  });

  it('lets a page read why it is refused: a closed domain, a wrong token, a wrong method', async () => {
    const evil = 'https://example.com.evil.test';
    const sessions = `/api/v1/widgets/${closed}/sessions/`;
    expect((await preflight(sessions, evil)).headers['access-control-allow-origin']).toBe(evil);
    expect((await preflight('/api/v1/widgets/no-such/sessions/', evil)).status).toBe(204);
    const refused = { detail: 'You do not have permission to perform this action.' };
    for (const [method, path, status, json] of [
      ['POST', sessions, 403, refused],
      ['GET', `/api/v1/widgets/?token=${closed}`, 403, refused],
      ['GET', '/api/v1/widgets/?token=no-such', 404, { detail: 'Not found.' }],
      ['GET', '/api/v1/widgets/?token=', 404, { detail: 'Not found.' }],
      ['POST', '/api/v1/widgets/no-such/sessions/', 404, { detail: 'Not found.' }],
      ['DELETE', sessions, 401, { detail: 'Authentication credentials were not provided.' }],
      ['GET', sessions, 405, { detail: 'Method "GET" not allowed.' }],
    ] as const) {
      const body = method === 'POST' ? { body: {} } : {};
      const answer = await app.request(method, path, { ...body, headers: { origin: evil } });
      const { vary, 'access-control-allow-origin': allowed } = answer.headers;
      expect([method, path, answer.status, answer.json, allowed]).toEqual([method, path, status, json, evil]);
      expect(vary).toMatch(/Origin/i);
    }
  });

  it("is silent on the owner's list of widgets, which stands under the same path", async () => {
    const asked = await preflight('/api/v1/widgets/', PAGE, 'GET');
    expect(asked.headers['access-control-allow-origin']).toBeUndefined();
    const answer = await app.request('GET', '/api/v1/widgets/', { token, headers: { origin: PAGE } });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, undefined]);
  });

  it('never lets a page send cookies', async () => {
    const answer = await preflight(`/api/v1/widgets/${widget}/sessions/`);
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('repeats no origin that no browser names', async () => {
    for (const [origin, allowed] of [
      [`https://${'x'.repeat(253)}:65535`, true],
      [`https://${'x'.repeat(7_000)}`, false],
    ] as const) {
      const { headers } = await app.request('GET', `/api/v1/widgets/?token=${widget}`, {
        headers: { origin },
      });
      expect(headers['access-control-allow-origin']).toBe(allowed ? origin : undefined);
    }
  });

  it("answers any origin on the routes that a visitor's token opens", async () => {
    for (const [path, method] of [
      ['/api/v1/messages/', 'POST'],
      ['/api/v1/messages', 'GET'],
      ['/api/v1/leads/', 'POST'],
      ['/api/v1/leads/00000000-0000-4000-8000-000000000000/', 'PATCH'],
      ['/api/v1/rooms/some-label/', 'PATCH'],
    ] as const) {
      const answer = await preflight(path, 'https://anywhere.test', method);
      expect([path, answer.status, answer.headers['access-control-allow-origin']]).toEqual([path, 204, '*']);
    }
  });

  it('checks the request itself against the widget of the session', async () => {
    const { visitor, room } = await app.session(closed);
    const write = (origin: string) =>
      app.request('POST', '/api/v1/messages/', {
        visitor,
        body: { body: 'Hi', room: { uuid: room.uuid } },
        headers: { origin },
      });
    expect((await write('https://evil.test')).status).toBe(403);
    const answer = await write(PAGE);
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([201, '*']);
    expect(answer.headers['access-control-expose-headers']).toMatch(/X-Request-Id/);
  });

  it('carries its headers on errors too, so that the widget can read them', async () => {
    const answer = await app.request('POST', '/api/v1/messages/', { headers: { origin: PAGE } });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([401, '*']);
  });

  it('goes by a path as the router does, without regard to case', async () => {
    for (const path of [
      '/API/V1/widgets/?token=no-such',
      '/api/v1/Widgets/no-such/Sessions/',
      '/api/v1/MESSAGES',
      '/api/v1/Public/conversations/start',
    ]) {
      const answer = await app.request('GET', path, { headers: { origin: PAGE } });
      const allowed = answer.headers['access-control-allow-origin'];
      expect([path, allowed]).toEqual([path, expect.stringMatching(/^(\*|https:\/\/shop\.example\.com)$/)]);
    }
    const list = await app.request('GET', '/api/v1/WIDGETS/', { token, headers: { origin: PAGE } });
    expect([list.status, list.headers['access-control-allow-origin']]).toEqual([200, undefined]);
  });

  it('exists nowhere else', async () => {
    for (const path of [
      '/api/v1/rooms/',
      '/api/v1/webhooks/',
      '/api/v1/auth/api-token',
      `/api/v1/widgets/${widget}/`,
    ]) {
      const answer = await preflight(path);
      expect([path, answer.headers['access-control-allow-origin']]).toEqual([path, undefined]);
      expect(answer.headers['access-control-allow-methods']).toBeUndefined();
    }
    const answer = await app.request('GET', '/api/v1/rooms/', { token, headers: { origin: PAGE } });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe("CORS of the agent's API", () => {
  it('answers any page, lets it send its key, and shows it the secret of its conversation', async () => {
    const path = '/api/v1/public/conversations/start';
    const asked = await app.request('OPTIONS', path, {
      headers: {
        origin: PAGE,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-api-key,idempotency-key,parlor-client',
      },
    });
    expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect(asked.headers['access-control-allow-headers']).toMatch(/Parlor-Client.*X-API-Key/);
    const refused = await app.request('POST', path, { headers: { origin: PAGE }, body: {} });
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, '*']);
    const agent = await testAgent(app, [{ id: 's', type: 'start', greeting: 'Hello' }]);
    const started = await agent.start({}, { origin: PAGE });
    expect(started.headers['access-control-expose-headers']).toMatch(/\bParlor-Client\b/);
    expect(started.headers['parlor-client']).toMatch(/^[0-9a-f]{64}$/);
  });
});
