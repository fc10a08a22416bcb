import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { owner } from './rest.ts';
import { MAIN, serverSettings, startServerProcess } from './server-process.ts';

const FULL = 256 * 1_024;
/** Those that have room at an address. */
const ROOM = 64;

/** A server with the heap that Node.js takes on a machine of 512 MiB, behind a proxy. */
const small = async () => {
  const settings = { ...(await serverSettings()), TRUST_PROXY: '1', PUBLIC_URL: 'https://chat.example.com' };
  const server = await startServerProcess(settings, [process.execPath, '--max-old-space-size=256', MAIN]);
  const { port } = new URL(server.url);
  /** A client that has sent all of a body but the last byte. @param from its address */
  const slow = async (from: string) => {
    const socket: Socket = connect(Number(port), '127.0.0.1');
    const client = { answer: '', isOver: false, finish: () => socket.write(' ') };
    socket.on('data', (bytes) => {
      client.answer += bytes;
    });
    const over = () => {
      client.isOver = true;
    };
    socket.on('error', over).on('close', over);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    const head = [
      'POST /api/v1/auth/api-token HTTP/1.1',
      'Host: x',
      `X-Forwarded-For: ${from}`,
      'Content-Type: application/json',
      `Content-Length: ${FULL}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{}${' '.repeat(FULL - 3)}`);
    return client;
  };
  return { ...server, slow };
};

const times = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

it('has room for so many bodies that come slowly, and works on beside them', {
  timeout: 120_000,
}, async () => {
  const { url, slow } = await small();
  const { rest } = await owner(url);
  const phone = await slow('192.0.2.1');
  await sleep(1_100);
  // More than the heap could hold, of one client.
  const many = await times(1_200, () => slow('198.51.100.1'));
  const left = () => many.filter(({ answer, isOver }) => !isOver && answer === '');
  await expect.poll(() => left().length, { timeout: 60_000 }).toBeLessThanOrEqual(ROOM);
  const refused = many.filter(({ answer }) => answer.startsWith('HTTP/1.1 503'));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.answer).toMatch(/Retry-After: 5\r\n/);
  expect(refused[0]?.answer).toContain('Too much is being sent to the server at once. Try again.');

  expect((await rest('GET', '/api/v1/rooms/')).status).toBe(200);
  expect((await rest('POST', '/api/v1/rooms/', { name: 'Ada', more: 'x'.repeat(5_000) })).status).toBe(201);
  expect(phone.isOver).toBe(false);
  phone.finish();
  await expect.poll(() => phone.answer).toMatch(/^HTTP\/1.1 400/);
});

it('gives the room of those that come slowly to who sends at once', { timeout: 120_000 }, async () => {
  const { slow } = await small();
  const many = await times(ROOM, () => slow('198.51.100.1'));
  await sleep(1_500);
  expect(many.filter(({ isOver }) => isOver)).toEqual([]);
  const next = await slow('198.51.100.1');
  await expect.poll(() => many.filter(({ isOver }) => isOver).length).toBe(1);
  next.finish();
  await expect.poll(() => next.answer).toMatch(/^HTTP\/1.1 400/);
});

it('has room for who holds little beside bodies that come slowly from many addresses', {
  timeout: 120_000,
}, async () => {
  const { url, slow } = await small();
  const { rest } = await owner(url);
  // All room there is, of addresses with less than their own.
  const many = await times(760, (n) => slow(`198.51.100.${n % 200}`));
  const left = () => many.filter(({ answer, isOver }) => !isOver && answer === '').length;
  const big = { name: 'Ada', more: 'x'.repeat(100 * 1_024) };
  for (let n = 0; n < 3; n++) expect((await rest('POST', '/api/v1/rooms/', big)).status).toBe(201);
  await expect.poll(left, { timeout: 60_000 }).toBeLessThanOrEqual(4 * ROOM);
  expect(left()).toBeGreaterThan(2 * ROOM);
});

it('lives through heads of many short headers, whether or not they come whole', {
  timeout: 120_000,
}, async () => {
  const { url } = await small();
  const { port } = new URL(url);
  const fields = 'abc:vv\r\n'.repeat(1_980);
  const whole = `POST /api/v1/auth/api-token HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n${fields}\r\n{`;
  const sockets = await times(2_000, async (n) => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    socket.write(n % 2 ? whole : `GET / HTTP/1.1\r\nHost: x\r\n${fields}`);
    return socket;
  });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const [, first] = sockets;
  first?.write('}        ');
  expect(String((await once(first ?? expect.fail(), 'data'))[0])).toMatch(
    /^HTTP\/1.1 400 .*100 headers at most/s,
  );
});
