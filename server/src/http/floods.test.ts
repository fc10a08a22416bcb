import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createLog } from '../platform/log.ts';
import { limitBodyChunks } from './body-chunks.ts';
import { endFloods } from './floods.ts';

const MIB = 1_024 * 1_024;
/** Some looks at all connections. */
const LOOKED_MS = 700;

const startServer = async (prepare: (server: Server) => void) => {
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', ({ length }) => {
      bytes += length;
    });
    request.on('end', () => response.end(`${bytes} came`));
  });
  limitBodyChunks(server);
  endFloods(server, createLog('silent'));
  prepare(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(async () => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  let answers = '';
  socket.on('data', (data) => {
    answers += data;
  });
  return { socket, answers: () => answers };
};

const LINES = '\r\n'.repeat(MIB / 2);

it('ends a connection that sends more than 1 MiB of nothing, before a request and after one', async () => {
  for (const first of ['', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n']) {
    const { socket } = await startServer(() => undefined);
    socket.write(`${first}${LINES}${LINES}`);
    await expect.poll(() => socket.closed, { timeout: 10_000 }).toBe(true);
  }
});

it('leaves large bodies alone, in whichever chunks, and many requests of one connection', async () => {
  const { socket, answers } = await startServer(() => undefined);
  const head = 'POST / HTTP/1.1\r\nHost: a\r\n';
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
  for (let n = 0; n < 6; n++) {
    socket.write(`400\r\n${'x'.repeat(1_024)}\r\n`.repeat(1_024));
    await sleep(100);
  }
  await sleep(LOOKED_MS);
  socket.write(`0\r\n\r\n${head}Content-Length: ${6 * MIB}\r\n\r\n`);
  for (let n = 0; n < 6; n++) {
    socket.write('x'.repeat(MIB));
    await sleep(100);
  }
  await expect.poll(answers).toMatch(new RegExp(`${6 * MIB} came[^]*${6 * MIB} came`));
  const small = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(8_000)}\r\n\r\n`;
  for (let n = 0; n < 400; n++) socket.write(small);
  await expect.poll(() => answers().match(/ came/g)?.length, { timeout: 10_000 }).toBe(402);
  await sleep(LOOKED_MS);
  expect(socket.closed).toBe(false);
});

it('leaves connections alone that are no longer of HTTP', async () => {
  const { socket, answers } = await startServer((server) => {
    server.on('upgrade', (_, upgraded) => {
      let bytes = 0;
      onTestFinished(() => void upgraded.destroy());
      upgraded
        .on('error', () => undefined)
        .on('data', ({ length }: Buffer) => {
          bytes += length;
          if (bytes === 4 * MIB) upgraded.write('all of it');
        });
      upgraded.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    });
  });
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  await expect.poll(answers).toMatch(/ 101 /);
  socket.write('x'.repeat(4 * MIB));
  await expect.poll(answers).toMatch(/all of it$/);
  await sleep(LOOKED_MS);
  expect(socket.closed).toBe(false);
});
