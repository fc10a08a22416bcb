import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { serverSettings, startServerProcess } from './server-process.ts';

/** What stands between method and version, and Node.js lets through. */
const UNREADABLE = [
  'http://[::1/healthz',
  'http://',
  'https://',
  'foo://',
  'http://xn--a/healthz',
  'http://[/',
];
const READABLE = ['/healthz', 'http://other.example/healthz', 'http:///healthz', 'HTTP://X:99/healthz#a'];

it('answers a target that is no URL with 400, and one with a scheme and host like its path', async () => {
  const { url, stderr } = await startServerProcess(await serverSettings());
  const { hostname, port } = new URL(url);
  const ask = async (method: string, target: string) => {
    const socket = connect(Number(port), hostname);
    socket.write(`${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    const answer = await text(socket);
    return [method, target, answer.slice(9, 12), answer.split('\r\n\r\n')[1]];
  };
  const detail = JSON.stringify({ detail: 'The request target is not a valid URL.' });
  for (const target of UNREADABLE) {
    for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE'])
      expect(await ask(method, target)).toEqual([method, target, '400', detail]);
  }
  for (const target of READABLE)
    expect(await ask('GET', target)).toEqual(['GET', target, '200', '{"status":"alive"}']);
  expect(stderr()).not.toContain('request failed');
});
