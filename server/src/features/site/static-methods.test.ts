import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';

const trial = testApp();
const server = testApp({ PUBLIC_URL: 'https://chat.example.com' });

const ASSETS = fileURLToPath(new URL('../../../../widget/dist/assets', import.meta.url));
const asset = readdirSync(ASSETS).find((name) => name.endsWith('.js'));
const OTHERS = ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];

const PATHS = [
  ['/', trial, 200],
  ['/widget.js', trial, 200],
  [`/widget/${asset}`, trial, 200],
  ['/demo', trial, 302],
  ['/demo/', trial, 200],
  ['/demo/?widget=abc', trial, 200],
  ['/demo/hostile/', trial, 200],
  ['/demo/site.css', trial, 200],
  ['/console', trial, 302],
  ['/console/', trial, 200],
  ['/console/settings/team', server, 200],
  ['/console/manifest.webmanifest', server, 200],
  ['/console/preview/', server, 200],
  ['/console/preview/hostile/lamps.html', server, 200],
  ['/console/preview/strict/site.css', server, 200],
  ['/console/preview/preview.js', server, 200],
  ['/', server, 200],
  ['/widget.js', server, 200],
] as const;

it('says at the bare address what runs here, and leads there', async () => {
  for (const [app, expected] of [
    [trial, ['/console/', '/demo/', '/api/v1/docs']],
    [server, ['/console/', '/api/v1/docs']],
  ] as const) {
    const { text } = await app.request('GET', '/');
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, href]) => href as string);
    expect(links).toEqual(expected);
    for (const href of links) expect((await app.request('GET', href)).status).toBe(200);
  }
});

describe('a page or file', () => {
  it.each(PATHS)('%s is read, and says so to other methods', async (path, app, status) => {
    for (const method of ['GET', 'HEAD']) expect((await app.request(method, path)).status).toBe(status);
    for (const method of OTHERS) {
      const answer = await app.request(method, path);
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD']);
      expect(answer.json).toEqual({ detail: `Method "${method}" not allowed.` });
    }
    const options = await app.request('OPTIONS', path);
    expect([options.status, options.text, options.headers.allow]).toEqual([204, '', 'GET, HEAD']);
  });

  it.each([
    '/widget.css',
    '/widget/none.js',
    '/demo/none.html',
    '/demo/none.css',
    '/console/assets/none.js',
    '/consoles',
    '/none',
  ])('that is not there, %s, is a 404 to every method', async (path) => {
    for (const method of ['GET', 'OPTIONS', ...OTHERS]) {
      const answer = await trial.request(method, path);
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 404, undefined]);
    }
  });

  it('of the demo is none where there is no trial', async () => {
    for (const method of ['GET', 'OPTIONS', 'POST'])
      expect((await server.request(method, '/demo/')).status).toBe(404);
  });

  it('of the panel’s settings names their methods once the panel is open', async () => {
    const entrance = await trial.request('GET', trial.services.panelAccess.issue());
    const cookie = String(entrance.headers['set-cookie']).split(';', 1)[0] ?? '';
    const ask = (method: string) => trial.request(method, '/demo/panel/settings', { headers: { cookie } });
    const options = await ask('OPTIONS');
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, PATCH']);
    const wrong = await ask('DELETE');
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD, PATCH']);
    expect((await trial.request('OPTIONS', '/demo/panel/settings')).status).toBe(403);
  });
});
