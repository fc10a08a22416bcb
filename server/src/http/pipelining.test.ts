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
  socket.write(requests(15, 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'));
  const answers = (await text(socket)).match(/answer [^;]+/g);
  expect(answers).toEqual([...Array.from({ length: 15 }, (_, n) => `answer /${n}`), 'answer /last']);
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
  socket.write(requests(15));
  await full;
  expect(begun).toEqual(['/0']);
});

it('closes a connection on which more than 16 wait', async () => {
  const socket = await connected(() => undefined);
  socket.resume().write(requests(18));
  await once(socket, 'close');
  expect(socket.bytesRead).toBe(0);
});

it('closes a connection on which few wait with many headers', async () => {
  const headers = 'a:b\r\n'.repeat(79);
  const many = (count: number) => `GET / HTTP/1.1\r\nHost: a\r\n${headers}\r\n`.repeat(count);
  const [lives, ends] = [await connected(() => undefined), await connected(() => undefined)];
  let isClosed = false;
  lives.once('close', () => {
    isClosed = true;
  });
  lives.resume().write(many(3));
  ends.resume().write(many(4));
  await new Promise((resolve) => ends.once('close', resolve));
  expect(isClosed).toBe(false);
});

const LARGE = `GET /large HTTP/1.1\r\nHost: a\r\nX-Padding: ${'x'.repeat(15_000)}\r\n\r\n`;

it('closes a connection on which much waits', async () => {
  let read = () => 0;
  const socket = await connected(({ socket: own }) => {
    read = () => own.bytesRead;
  });
  socket.resume().write(LARGE.repeat(90));
  await new Promise((resolve) => socket.once('close', resolve));
  expect(read()).toBeLessThan(300_000);
});

it('answers some that are large, however slowly, and knows of a client that goes meanwhile', async () => {
  const pending: (() => void)[] = [];
  let isGone = false;
  const socket = await connected(({ url, socket: own }, response) => {
    own.once('close', () => {
      isGone = true;
    });
    pending.push(() => response.end(`answer ${url};`));
  });
  let answers = '';
  socket.on('data', (bytes) => {
    answers += bytes;
  });
  socket.write(LARGE);
  await expect.poll(() => pending.length).toBe(1);
  socket.write(LARGE.repeat(4));
  for (let done = 0; done < 4; done++) {
    await expect.poll(() => pending.length, { interval: 1 }).toBe(1);
    pending.pop()?.();
  }
  await expect.poll(() => answers.match(/answer [^;]+/g)?.length).toBe(4);
  await expect.poll(() => pending.length).toBe(1);
  socket.write(LARGE);
  socket.resetAndDestroy();
  await expect.poll(() => isGone).toBe(true);
});

it('goes on with a client that always has one waiting', async () => {
  const socket = await connected(({ url }, response) => {
    setTimeout(() => response.end(`answer ${url};`), 5);
  });
  let answered = 0;
  let isClosed = false;
  socket.once('close', () => {
    isClosed = true;
  });
  socket.on('data', (bytes) => {
    for (const _ of String(bytes).matchAll(/answer/g)) if (++answered < 30) socket.write(LARGE);
  });
  socket.write(LARGE.repeat(3));
  await expect.poll(() => answered).toBe(32);
  expect(isClosed).toBe(false);
});

it('lets others have a turn between the requests of a connection', async () => {
  let turn = 0;
  const turns = new Set<number>();
  const count = setInterval(() => turn++, 0);
  onTestFinished(() => clearInterval(count));
  const socket = await connected((_, response) => {
    turns.add(turn);
    const until = performance.now() + 2;
    while (performance.now() < until);
    response.end();
  });
  socket.resume().write(requests(15, 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'));
  await once(socket, 'close');
  expect(turns.size).toBeGreaterThan(10);
});

it('takes the body of the last one that waited', async () => {
  const socket = await connected(async (request, response) => {
    response.end(`${request.url} ${(await text(request)).length};`);
  });
  const body = 'x'.repeat(500_000);
  const head = (n: number, more = '') =>
    `POST /${n} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}${more}\r\n\r\n${body}`;
  socket.write(head(1) + head(2) + head(3, '\r\nConnection: close'));
  expect((await text(socket)).match(/\/\d \d+/g)).toEqual(['/1 500000', '/2 500000', '/3 500000']);
});
