import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, inject, it } from 'vitest';
import { serverSettings, startServerProcess } from '../../../test/server-process.ts';

const SETTINGS = '/demo/panel/settings';

/** Asks with any headers, Host and Origin among them, which fetch would not send as given. */
const ask = (url: string, method: string, headers: Record<string, string> = {}, body?: unknown) =>
  new Promise<{ status: number; json: any }>((resolve, reject) => {
    const asking = request(url, { method, headers }, async (answer) =>
      resolve({ status: answer.statusCode ?? 0, json: await json(answer).catch(() => undefined) }),
    ).on('error', reject);
    asking.end(body === undefined ? undefined : JSON.stringify(body));
  });

const start = async (env: Record<string, string> = {}) => {
  const server = await startServerProcess({ ...(await serverSettings()), ...env });
  const link = /^Settings panel.*: (\S+)$/m.exec(server.stdout())?.[1] ?? '';
  const entering = link === '' ? undefined : await fetch(link, { redirect: 'manual' });
  const cookie = { Cookie: entering?.headers.get('set-cookie')?.split(';')[0] ?? '' };
  const own = { 'Content-Type': 'application/json', Origin: server.url, 'Sec-Fetch-Site': 'same-origin' };
  return {
    server,
    link,
    entering,
    cookie,
    read: (headers?: Record<string, string>) => ask(server.url + SETTINGS, 'GET', { ...cookie, ...headers }),
    change: (body: unknown, headers?: Record<string, string>) =>
      ask(server.url + SETTINGS, 'PATCH', { ...own, ...cookie, ...headers }, body),
    page: (headers?: Record<string, string>) =>
      ask(`${server.url}/demo/panel/`, 'GET', { ...cookie, ...headers }),
  };
};

it.runIf(inject('isRealMongodb'))('is not there on a MongoDB, where there is no demo account', async () => {
  const { read, change, page } = await start();
  expect([(await read()).status, (await change({})).status, (await page()).status]).toEqual([404, 404, 404]);
});

it.skipIf(inject('isRealMongodb'))(
  "changes the demo account's widget, and shows no token of the API",
  async () => {
    const { server, read, change } = await start();
    const token = /API token +(\w+)/.exec(server.stdout())?.[1] ?? '';
    const before = await read();
    expect(before.json.widget).toEqual({ ...before.json.widget, ...before.json.shop });
    expect(before.json.shop).toMatchObject({ header_title: 'Lantern Row' });
    const changed = await change({ header_title: 'Lamps', token: 'mine', uuid: 'mine' });
    expect(changed).toEqual({ status: 200, json: { ...before.json.widget, header_title: 'Lamps' } });
    const seen = await fetch(`${server.url}/api/v1/widgets/?token=${before.json.widget.token}`);
    expect(await seen.json()).toMatchObject({ token: before.json.widget.token, header_title: 'Lamps' });
    expect(await change({ color: 'red' })).toEqual({
      status: 400,
      json: { color: ['Enter a valid CSS hex colour.'] },
    });
    expect(token).toMatch(/^[0-9a-f]{40}$/);
    expect(JSON.stringify([before, changed])).not.toContain(token);
  },
);

it.skipIf(inject('isRealMongodb'))('does nothing for a page of another origin', async () => {
  const { read, change } = await start();
  const before = await read();
  const foreign: Record<string, string>[] = [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: '' },
    { Origin: 'http://127.0.0.1:1' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ];
  for (const headers of foreign) {
    expect((await change({ header_title: 'evil' }, headers)).status, JSON.stringify(headers)).toBe(403);
  }
  // What a form of another page could send without asking first.
  expect((await change({ header_title: 'evil' }, { 'Content-Type': 'text/plain' })).status).toBe(415);
  expect(await read()).toEqual(before);
});

it.skipIf(inject('isRealMongodb'))(
  'is for the browser that opened the printed link, and that once',
  async () => {
    const { server, link, entering, read, change, page } = await start();
    expect([entering?.status, entering?.headers.get('location')]).toEqual([303, '/demo/panel/']);
    expect(entering?.headers.get('set-cookie')).toMatch(/; path=\/demo; samesite=strict; httponly$/);
    expect([(await page()).status, (await read()).status]).toEqual([200, 200]);
    const { port } = new URL(server.url);
    const others: Record<string, string>[] = [
      { Cookie: '' },
      { Cookie: 'parlor_panel=guess' },
      // As the plainest proxy on this machine sends what the world asks.
      { Cookie: '', Host: `127.0.0.1:${port}`, Origin: `http://127.0.0.1:${port}` },
      { Cookie: '', Host: `rebound.example:${port}`, Origin: `http://rebound.example:${port}` },
    ];
    for (const headers of others) {
      const answers = [await read(headers), await change({ name: 'evil' }, headers), await page(headers)];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    }
    const again = await fetch(link, { redirect: 'manual' });
    expect([again.status, again.headers.get('set-cookie')]).toEqual([403, null]);
    expect(await again.text()).toContain('start Parlor anew');
    // The site as other customers' sites may be has no panel.
    for (const path of ['hostile/panel/', 'strict/panel/', 'strict/panel/index.html'])
      expect([path, (await fetch(`${server.url}/demo/${path}`)).status]).toEqual([path, 404]);
    const site = await fetch(`${server.url}/demo/`);
    expect(await site.text()).not.toContain('/demo/panel/');
  },
);

it.skipIf(inject('isRealMongodb'))('is not there behind a proxy', async () => {
  const { server, read, change, page } = await start({
    TRUST_PROXY: 'loopback',
    PUBLIC_URL: 'https://chat.example.com',
  });
  expect([(await read()).status, (await change({})).status, (await page()).status]).toEqual([404, 404, 404]);
  expect(server.stdout()).not.toContain('Settings panel');
});

it.skipIf(inject('isRealMongodb'))(
  'lets nobody try its links out, and shows itself to its own all the same',
  async () => {
    const { server, page } = await start({ RATE_LIMIT: 'on', RATE_LIMIT_UNKNOWN: '5' });
    const statuses = [];
    for (let n = 0; n < 6; n++)
      statuses.push((await ask(`${server.url}/demo/panel/enter?key=guess${n}`, 'GET')).status);
    expect(statuses).toEqual([...Array(5).fill(403), 429]);
    expect((await page()).status).toBe(200);
  },
);
