import { Widget } from '@parlor/shared';
import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';

const app = testApp();
let widget = '';

beforeAll(async () => {
  ({ widget } = await app.account());
});

const read = (query: string, headers: Record<string, string> = {}) =>
  app.request('GET', `/api/v1/widgets/${query}`, { headers });

describe('GET /api/v1/widgets/?token=<widget_token>', () => {
  it('is public, whole, and cacheable', async () => {
    const answer = await read(`?token=${widget}`);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json)).toEqual(Object.keys(Widget.shape));
    expect(answer.json).toMatchObject({ token: widget, popup_timeout: 0, color: '#2563eb' });
    expect(answer.headers['cache-control']).toBe('public, max-age=30, stale-while-revalidate=30');
    expect(answer.headers.vary).toMatch(/Origin/i);
    const known = answer.headers.etag ?? '';
    expect((await read(`?token=${widget}`, { 'if-none-match': known })).status).toBe(304);
  });

  it('says the same again as long as nothing changed, and the new at once when something did', async () => {
    const { token, widget: own } = await app.account();
    const ask = (origin: string, more = {}) =>
      app.request('GET', `/api/v1/widgets/?token=${own}`, { headers: { origin, ...more } });
    const varying = ({ status, text, headers }: Awaited<ReturnType<typeof ask>>) => {
      const { 'x-request-id': id, date, ...same } = headers;
      return { status, text, same, id };
    };
    const first = varying(await ask('https://a.test'));
    const again = varying(await ask('https://a.test'));
    expect({ ...again, id: '' }).toEqual({ ...first, id: '' });
    expect(again.id).not.toBe(first.id);
    expect(again.same['content-security-policy']).toContain("default-src 'none'");
    expect((await ask('https://b.test')).headers['access-control-allow-origin']).toBe('https://b.test');
    expect((await ask('https://a.test', { 'if-none-match': first.same.etag ?? '' })).status).toBe(304);

    await app.request('PATCH', `/api/v1/widgets/${own}/`, { token, body: { domain: 'https://b.test' } });
    expect((await ask('https://a.test')).status).toBe(403);
    expect((await ask('https://b.test')).json).toMatchObject({ domain: 'https://b.test' });
    expect((await ask('https://a.test')).status).toBe(403);
  });

  it('answers any origin where no domain is set', async () => {
    const answer = await read(`?token=${widget}`, { origin: 'https://anywhere.test' });
    expect(answer.headers['access-control-allow-origin']).toBe('https://anywhere.test');
  });

  it('answers 404 to an unknown token and 400 to none or two', async () => {
    for (const query of ['?token=nothing', '?token=', '?token=%00', `?token=${widget.toLowerCase()}x`]) {
      expect((await read(query)).status).toBe(404);
    }
    expect([(await read('')).status, (await read(`?token=a&token=b`)).status]).toEqual([400, 400]);
    expect((await read('?token[$gt]=')).status).toBe(400);
  });
});
