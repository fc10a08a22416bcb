import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { events } from './event-stream.ts';
import { startWithHangingModel } from './hanging-model.ts';
import { PATIENCE } from './mailed-account.ts';
import { owner } from './rest.ts';
import { serverSettings, startServerProcess } from './server-process.ts';
import { startSmtpReceiver } from './smtp-receiver.ts';

const errorsIn = (log: string) => log.split('\n').filter((line) => /"level":[56]0/.test(line));

it('ends streams of turns that take too long with an event that says so', { timeout: 60_000 }, async () => {
  const { llm, server, ask } = await startWithHangingModel();
  const stream = ask({ accept: 'text/event-stream' });
  await expect.poll(() => llm.asked.length).toBe(1);
  const ended = server.end('SIGTERM');
  const told = events(await (await stream).text()).map(([event, data]) => [event, data]);
  expect(told).toEqual([['error', { error: 'The server is stopping. Try again.' }]]);
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(errorsIn(server.stderr())).toEqual([]);
});

it('breaks off mails that nobody takes, and sends them after the next start', {
  timeout: 180_000,
}, async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const settings = await serverSettings();
  const server = await startServerProcess({ ...settings, SMTP_URL: `smtp://127.0.0.1:${port}` });
  await owner(server.url);
  await expect.poll(() => sockets.length, PATIENCE).toBe(1);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(errorsIn(server.stderr())).toEqual([]);

  const smtp = await startSmtpReceiver();
  onTestFinished(() => smtp.close());
  await startServerProcess({ ...settings, SMTP_URL: smtp.url });
  await expect
    .poll(() => smtp.mails.map(({ to }) => to), { timeout: 100_000 })
    .toEqual([['ada@example.com']]);
});
