import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';

const moduleAt = (path: string) => JSON.stringify(new URL(`../../dist/${path}`, import.meta.url).href);

/** A server of a process with a small heap, which says where it listens and how large its heap may be (bytes). */
const SERVER = `
import { getHeapStatistics } from 'node:v8';
import { newServer } from ${moduleAt('http/new-server.js')};
import { createLog } from ${moduleAt('platform/log.js')};
const limits = { timeout: 30_000, clientAddress: () => '127.0.0.1', isProxy: () => false };
const { server } = newServer(limits, createLog('silent'));
server.on('request', (_, response) => response.end());
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: server.address().port, heap: getHeapStatistics().heap_size_limit }));
});
`;
const SMALL = ['--max-old-space-size=16', '--max-semi-space-size=1'];

it('holds a connection for each 64 KiB of the heap, and closes one for one more', async () => {
  const child = spawn(process.execPath, [...SMALL, '--input-type=module', '-e', SERVER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { port, heap } = JSON.parse(String((await once(child.stdout, 'data'))[0]));
  let closed = 0;
  const open = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.once('close', () => {
      if (socket.bytesRead === 0) closed++;
    });
    await once(socket, 'connect');
    return socket;
  };
  for (let room = Math.floor(heap / (64 * 1_024)); room > 0; room--) {
    // One on which nothing comes is closed in any case.
    (await open()).write('GET');
  }
  expect(closed).toBe(0);
  const another = await open();
  another.resume().write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await new Promise((resolve) => another.once('close', resolve));
  await expect.poll(() => closed).toBe(1);
});
