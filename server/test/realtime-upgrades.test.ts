import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { REALTIME_PATH } from '@parlor/shared';
import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { beginConversation } from './realtime-parts.ts';
import { useServer } from './shared-server.ts';

const server = useServer();
const begin = () => beginConversation(server());

describe('other requests to upgrade', () => {
  const raw = async (url: string, request: string): Promise<string> => {
    const { port } = new URL(url);
    const socket = connectTcp(Number(port), '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.write(request);
    await once(socket, 'close');
    return text;
  };

  it('are answered as if they had not asked', async () => {
    const { url, username } = await begin();
    const body = JSON.stringify({ username, password: 'a long enough secret' });
    const first = [
      'POST /api/v1/auth/api-token HTTP/1.1',
      'Host: localhost',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    const second = ['GET /healthz HTTP/1.1', 'Host: localhost', 'Connection: close'];
    const text = await raw(url, `${first.join('\r\n')}\r\n\r\n${body}${second.join('\r\n')}\r\n\r\n`);
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    expect(text).toMatch(/"token":"[0-9a-f]{40}"/);
  });

  it.each([
    ['HTTP/1.1', 'close, Upgrade', 'close'],
    ['HTTP/1.1', 'Upgrade,Close', 'close'],
    ['HTTP/1.0', 'Upgrade', 'close'],
    ['HTTP/1.0', 'keep-alive, Upgrade', 'keep-alive'],
    ['HTTP/1.1', 'Upgrade', 'keep-alive'],
  ])('of %s with "Connection: %s" end the connection as was asked: %s', async (version, connection, wish) => {
    const lines = [`GET /healthz ${version}`, 'Host: localhost', `Connection: ${connection}`, 'Upgrade: h2c'];
    const next =
      wish === 'close' ? '' : 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const text = await raw(server().url, `${lines.join('\r\n')}\r\n\r\n${next}`);
    const answers = text.match(/^Connection: .+$/gim)?.map((line) => line.slice(12));
    expect(answers).toEqual(wish === 'close' ? ['close'] : ['keep-alive', 'close']);
  });

  it.each([0, 1])(
    'end the connection while answers are under way, when %i of two have come',
    async (come) => {
      const { url, username } = await begin();
      const body = JSON.stringify({ username, password: 'a long enough secret' });
      const lines = (...text: string[]) => `${text.join('\r\n')}\r\nHost: localhost\r\n`;
      const quick = `${lines('GET /healthz HTTP/1.1')}\r\n`;
      const slow = `${lines('POST /api/v1/auth/api-token HTTP/1.1', 'Content-Type: application/json')}Content-Length: ${body.length}\r\n\r\n${body}`;
      const upgrade = `${lines(
        `GET ${REALTIME_PATH} HTTP/1.1`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      )}\r\n`;
      const socket = connectTcp(Number(new URL(url).port), '127.0.0.1');
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      socket.on('error', () => undefined);
      socket.write(`${quick}${slow}${come === 0 ? upgrade : ''}`);
      if (come === 1) {
        await vi.waitFor(() => expect(text).toContain('"alive"'), { interval: 1 });
        socket.write(upgrade);
      }
      await once(socket, 'close');
      expect(text).not.toContain('101 Switching Protocols');
    },
  );

  it.each(['Host', 'Origin'])('are a 400 with two %s headers', async (name) => {
    const lines = [
      `GET ${REALTIME_PATH} HTTP/1.1`,
      ...['Host: localhost', 'Origin: https://a.example', `${name}: localhost`],
      ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ];
    expect(await raw(server().url, `${lines.join('\r\n')}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('are a 404 elsewhere', async () => {
    const { url } = await begin();
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/rooms/`);
    socket.on('error', () => undefined);
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(404);
    socket.terminate();
  });
});
