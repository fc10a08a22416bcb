import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { serverSettings, startServerProcess } from './server-process.ts';
import { StrictConnection } from './strict-http.ts';

/** What the log says of requests, and what not. */

it('the log does not hold what opens a conversation: its id, with the key that many have, a widget or a picture', async () => {
  const server = await startServerProcess({ ...(await serverSettings()), LOG_LEVEL: 'info' });
  const id = `conv_${'x'.repeat(24)}`;
  for (const path of [id, `${id}/messages`, `${id}/`, `x%2f${id}`, `x${id}/`, `%63${id.slice(1)}/messages`]) {
    await fetch(`${server.url}/api/v1/public/conversations/${path}`, {
      headers: { 'x-api-key': 'pk_live_x' },
    });
  }
  const token = `w${'y'.repeat(24)}`;
  for (const path of [
    `widgets/?token=${token}`,
    `widgets/${token}/`,
    `widgets/${token}/sessions`,
    `Widgets/${token}`,
    `widgets%2f${token}/`,
    `%77idgets/${token}`,
    `widgets%252f${token}/`,
    // As links are rewritten on their way.
    ...['%23', '%3F', '%253f', ';'].map((mark) => `../../console/reset${mark}token=${token}`),
    `../../confirm-email%3Ftoken=${token}`,
  ]) {
    await fetch(`${server.url}/api/v1/${path}`, { method: 'DELETE' });
  }
  const picture = `p${'z'.repeat(24)}`;
  for (const path of [picture, `${picture}/`]) await fetch(`${server.url}/api/v1/avatars/${path}`);
  await fetch(`${server.url}/api/v1/public/conversations/start`, { method: 'POST' });
  for (const path of [
    'public/conversations/…/messages',
    'widgets/…/sessions',
    'avatars/…',
    'public/conversations/start',
  ])
    await expect.poll(() => server.stderr()).toContain(`"/api/v1/${path}"`);
  expect(server.stderr()).not.toContain(id.slice(1));
  expect(server.stderr()).not.toContain(token);
  expect(server.stderr()).not.toContain(picture);
});

it('the log warns of nothing that a client alone can break', async () => {
  const { url, stderr } = await startServerProcess({ ...(await serverSettings()), LOG_LEVEL: 'info' });
  const head = 'POST /api/v1/auth/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
  for (const rest of ['Transfer-Encoding: chunked\r\n\r\nno number\r\n', 'Content-Length: 9\r\n\r\n{']) {
    const connection = await StrictConnection.open(url);
    connection.write(head + rest);
    // Whoever leaves in the middle, too.
    if (rest.startsWith('Content')) connection.close();
    else expect((await connection.answer('POST').catch(() => undefined))?.status ?? 400).toBe(400);
  }
  await expect.poll(() => stderr().split('a client broke its request off').length).toBeGreaterThan(1);
  // And whoever leaves in the middle of a large response.
  for (let left = 1; left <= 5; left++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(16));
    await once(socket, 'data');
    socket.resetAndDestroy();
    await expect.poll(() => stderr().split('"path":"/api/v1/openapi.json"').length).toBeGreaterThan(left);
  }
  await expect.poll(() => stderr().split('"path":"/api/v1/auth/session"').length).toBe(3);
  expect(stderr()).not.toMatch(/answer broke off|"stack"/);
});
it('the log holds the beginning of a long path, and nothing in it that opens something', async () => {
  const server = await startServerProcess({ ...(await serverSettings()), LOG_LEVEL: 'info' });
  const token = `w${'y'.repeat(24)}`;
  for (const path of ['q'.repeat(12_000), `${'r/'.repeat(238)}widgets/${token}`, '%E2%82%AC'.repeat(1_000)]) {
    expect((await fetch(`${server.url}/api/v1/${path}`)).status).toBe(404);
  }
  const logged = () => server.stderr().match(/(?<="path":")[^"]*/g) ?? [];
  await expect.poll(logged).toHaveLength(3);
  expect(logged().map((path) => path.length)).toEqual([501, 493, 501]);
  expect(server.stderr()).not.toContain('yy');
});
