import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { startSmtpReceiver } from '../../../test/smtp-receiver.ts';
import * as certificates from '../../../test/webhooks-certificates.ts';
import { createSmtp } from './smtp.ts';

const ENVELOPE = {
  to: 'owner@example.com',
  id: 'keyword-notification.1',
  date: new Date('2026-11-21T09:30:00Z'),
};
const LETTER = { subject: 'Ada mentioned “refund”', text: 'Grüße\n' };

/** The tests' authority is trusted by the URL: NODE_EXTRA_CA_CERTS is read at a process's start alone. */
const send = (url: string, ca: string | undefined = certificates.AUTHORITY) => {
  const trusting = ca === '' ? url : `${url}/?tls.ca=${encodeURIComponent(ca)}`;
  return createSmtp({ url: trusting, from: 'parlor@shop.example', timeout: 20_000 })(ENVELOPE, LETTER);
};

/** How a receiver speaks TLS: from the start, or after STARTTLS. */
const WAYS = [
  ['smtps:', { secure: true }],
  ['smtp:', { hideSTARTTLS: false }],
] as const;

const receiver = async (protocol: string, options: Parameters<typeof startSmtpReceiver>[0]) => {
  const isSecure: boolean[] = [];
  const started = await startSmtpReceiver({
    ...certificates.VALID,
    ...options,
    onMailFrom(_, session, done) {
      isSecure.push(session.secure);
      done();
    },
  });
  onTestFinished(() => started.close());
  return { ...started, url: started.url.replace('smtp:', protocol), isSecure };
};

/** Begins TLS on a connection, and then sends blank lines without end. */
const flood = (connection: Socket): void => {
  const socket = new TLSSocket(connection, { isServer: true, ...certificates.VALID });
  const blank = '\r\n'.repeat(30_000);
  const more = () => {
    while (!socket.destroyed && socket.write(blank));
  };
  socket
    .on('error', () => undefined)
    .on('drain', more)
    .once('secure', more)
    .resume();
};

/** Offers STARTTLS, and floods once it is asked for. */
const floodAfterStartTls = (connection: Socket): void => {
  const talk = (data: Buffer) => {
    if (!data.toString().startsWith('STARTTLS')) return connection.write('250-hello\r\n250 STARTTLS\r\n');
    connection.off('data', talk);
    connection.write('220 go on\r\n', () => flood(connection));
  };
  connection.on('data', talk).write('220 hello\r\n');
};

const rawServer = async (talk: (connection: Socket) => void): Promise<string> => {
  const connections = new Set<Socket>();
  const server = createServer((connection) => {
    connections.add(connection.on('error', () => undefined));
    talk(connection);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const connection of connections) connection.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

it.each(WAYS)(
  'a mail to %s goes by TLS (%j), to who shows a certificate of its name',
  async (protocol, options) => {
    const { url, mails, isSecure } = await receiver(protocol, options);
    expect(await send(url)).toEqual({ kind: 'sent' });
    expect(await send(url.replace('127.0.0.1', 'localhost'))).toEqual({ kind: 'sent' });
    expect(mails.map(({ body }) => body)).toEqual([LETTER.text, LETTER.text]);
    expect(isSecure).toEqual([true, true]);
  },
);

it.each(
  WAYS.flatMap(([protocol, options]) => [
    { protocol, options, what: 'of nobody known', tls: {}, ca: '' },
    { protocol, options, what: 'of another name', tls: certificates.FOR_ANOTHER_NAME, ca: undefined },
    { protocol, options, what: 'that has run out', tls: certificates.EXPIRED, ca: undefined },
  ]),
)(
  'a mail to $protocol is not given to one with a certificate $what',
  async ({ protocol, options, tls, ca }) => {
    const { url, tried, isSecure } = await receiver(protocol, { ...options, ...tls });
    const outcome = await send(url, ca);
    expect(outcome).toEqual({
      kind: 'failed',
      error: expect.stringMatching(/certificate/i),
      isWell: undefined,
    });
    expect([tried, isSecure]).toEqual([[], []]);
  },
);

it.each([
  ['smtps:', flood],
  ['smtp:', floodAfterStartTls],
] as const)(
  'a mail to %s is given up once its server has sent 64 KiB by TLS, and takes no time afterwards',
  { timeout: 20_000 },
  async (protocol, talk) => {
    const outcome = await send(`${protocol}//${await rawServer(talk)}`);
    expect(outcome).toEqual({
      kind: 'failed',
      error: 'the server sent more than 64 KiB',
      isWell: undefined,
    });
    // Of a mebibyte of blank lines each took 45 ms for minutes.
    for (let turns = 0; turns < 1_000; turns++) await new Promise((resolve) => setImmediate(resolve));
  },
);
