import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { oneAtATime } from './pipelining.ts';

const requests = (count: number, last = ''): string =>
  Array.from({ length: count }, (_, n) => `GET /${n} HTTP/1.1\r\nHost: a\r\n\r\n`).join('') + last;

/** A server, and a connection to it. */
const connected = async (handle: RequestListener) => {
  const server = createServer(oneAtATime(handle)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  return socket;
};

it('works on the requests of a connection one after another', async () => {
  let running = 0;
  let most = 0;
  const socket = await connected(async ({ url }, response) => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
    response.end(`answer ${url};`);
  });
  socket.write(requests(60, 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'));
  const answers = (await text(socket)).match(/answer [^;]+/g);
  expect(answers).toEqual([...Array.from({ length: 60 }, (_, n) => `answer /${n}`), 'answer /last']);
  expect(most).toBe(1);
});

it('begins with no other while a client does not read', async () => {
  const begun: (string | undefined)[] = [];
  const piece = Buffer.alloc(64 * 1024);
  let isFull: () => void = () => undefined;
  const full = new Promise<void>((resolve) => {
    isFull = resolve;
  });
  const socket = await connected(({ url }, response) => {
    begun.push(url);
    // More than the buffers of both ends take.
    const write = (): void => {
      while (response.write(piece));
      isFull();
      response.once('drain', write);
    };
    write();
  });
  socket.pause();
  socket.write(requests(20));
  await full;
  expect(begun).toEqual(['/0']);
});

it('closes a connection on which more than 100 wait', async () => {
  const socket = await connected(() => undefined);
  socket.resume().write(requests(102));
  await once(socket, 'close');
  expect(socket.bytesRead).toBe(0);
});
