import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';

const MODULE = new URL('../../dist/http/connections.js', import.meta.url).href;

/** A server of a process with a small heap, which says where it listens and how large its heap may be (bytes). */
const SERVER = `
import { createServer } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import { limitConnections } from '${MODULE}';
const server = createServer((_, response) => response.end());
limitConnections(server);
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: server.address().port, heap: getHeapStatistics().heap_size_limit }));
});
`;
const SMALL = ['--max-old-space-size=16', '--max-semi-space-size=1'];

it('holds a connection for each 64 KiB of the heap, and closes one more', async () => {
  const child = spawn(process.execPath, [...SMALL, '--input-type=module', '-e', SERVER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { port, heap } = JSON.parse(String((await once(child.stdout, 'data'))[0]));
  let closed = 0;
  const open = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.once('close', () => closed++);
    await once(socket, 'connect');
    return socket;
  };
  for (let room = Math.floor(heap / (64 * 1_024)); room > 0; room--) {
    // One on which nothing comes is closed in any case.
    (await open()).write('GET');
  }
  const beyond = await open();
  beyond.resume().write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await new Promise((resolve) => beyond.once('close', resolve));
  expect([beyond.bytesRead, closed]).toEqual([0, 1]);
});
