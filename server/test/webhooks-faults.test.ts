import { describe, expect, test } from 'vitest';
import * as certificates from './webhooks-certificates.ts';
import {
  firstAttemptWith,
  sleep,
  startRawReceiver,
  startReceiver,
  until,
  webhookParts,
} from './webhooks-parts.ts';

const firstAttempt = firstAttemptWith(webhookParts());

const TIMELY = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';

describe('a target that', () => {
  test('accepts and then says nothing', async () => {
    const { url } = await startRawReceiver(() => undefined);
    const { attempt, row } = await firstAttempt(url);
    expect(attempt).toMatchObject({
      status: null,
      error: 'no status line and headers within 1 s',
      response: '',
    });
    expect(attempt.duration_ms).toBeGreaterThanOrEqual(990);
    expect(row.state).toBe('pending');
  });

  test('drips its headers', async () => {
    const { url } = await startRawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('X-A: b\r\n'), 100);
      socket.once('close', () => clearInterval(drip)).on('error', () => undefined);
    });
    const { attempt } = await firstAttempt(url);
    expect(attempt).toMatchObject({ status: null, error: 'no status line and headers within 1 s' });
  });

  test('answers in time and drips its body: it is delivered, and the body is given up', async () => {
    let isClosed = false;
    const { url } = await startRawReceiver((socket) => {
      socket.write(`${TIMELY}Content-Length: 100000\r\n\r\n`);
      const drip = setInterval(() => socket.write('x'), 100);
      socket
        .on('error', () => undefined)
        .once('close', () => {
          isClosed = true;
          clearInterval(drip);
        });
    });
    const { attempt, row } = await firstAttempt(url);
    expect(row.state).toBe('delivered');
    expect(attempt).toMatchObject({ status: 200, error: null });
    expect(attempt.response).toMatch(/^x{1,100}$/);
    await until(() => isClosed);
  });

  test('answers gigabytes: 16 KiB are read, 1 KiB kept', async () => {
    let sent = 0;
    const { url } = await startRawReceiver((socket) => {
      socket.on('error', () => undefined);
      socket.write(`${TIMELY}Content-Length: 4000000000\r\n\r\n`);
      const block = Buffer.alloc(65_536, 'y');
      const pour = (): void => {
        while (!socket.destroyed && socket.writable) {
          sent += block.length;
          if (!socket.write(block)) return void socket.once('drain', pour);
        }
      };
      pour();
    });
    const { attempt, row } = await firstAttempt(url);
    expect(row.state).toBe('delivered');
    expect(attempt.response).toBe('y'.repeat(1024));
    await sleep(100);
    expect(sent).toBeLessThan(20_000_000);
  });

  test.each([
    ['an extension of a chunk', '5;', 'x'.repeat(65_536)],
    ['zeros before the size of a chunk', '', '0'.repeat(65_536)],
    ['trailers', '0\r\n', `${'A: b'.padEnd(126, 'b')}\r\n`.repeat(512)],
    ['chunks of one byte', '', '1;aaaaaaaaaaaaaaaa\r\nx\r\n'.repeat(3_000)],
  ])('answers %s without end: 80 KiB are read', async (_, begin, more) => {
    let sent = 0;
    let closed: number | undefined;
    const { url } = await startRawReceiver((socket) => {
      socket
        .on('error', () => undefined)
        .once('close', () => {
          closed = sent;
        });
      socket.write(`${TIMELY}Transfer-Encoding: chunked\r\n\r\n${begin}`);
      const pour = (): void => {
        while (!socket.destroyed && socket.writable) {
          sent += more.length;
          if (!socket.write(more)) return void socket.once('drain', pour);
        }
      };
      pour();
    });
    const { attempt, row } = await firstAttempt(url);
    expect(row.state).toBe('delivered');
    expect(attempt).toMatchObject({ status: 200, error: null });
    // What the system takes on both sides before anybody reads it included.
    expect(await until(() => closed)).toBeLessThan(20_000_000);
  });

  test('answers text that the first KiB tears apart inside a character', async () => {
    const receiver = await startReceiver((_, response) => response.end(`${'x'.repeat(1023)}é`));
    const { attempt } = await firstAttempt(receiver.url);
    expect(attempt.response).toBe('x'.repeat(1023));
  });

  test('breaks its body off', async () => {
    const { url } = await startRawReceiver((socket) => {
      socket.write(`${TIMELY}Content-Length: 100\r\n\r\nhalf`);
      setTimeout(() => socket.destroy(), 20);
    });
    const { attempt, row } = await firstAttempt(url);
    expect(row.state).toBe('delivered');
    expect(attempt).toMatchObject({ status: 200, response: 'half', error: null });
  });

  test.each<[string, (socket: import('node:net').Socket) => void, RegExp]>([
    ['resets', (socket) => socket.resetAndDestroy(), /connection (reset|closed)/],
    ['closes', (socket) => socket.end(), /connection closed before an answer/],
    ['answers nonsense', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n\r\n'), /not an HTTP answer/],
    ['answers half a status line', (socket) => socket.end('HTTP/1.1 20'), /connection closed|not an HTTP/],
    ['answers headers without an end', (socket) => socket.end(`${TIMELY}`), /connection closed|not an HTTP/],
    [
      'answers 64 KiB of headers',
      (socket) => socket.end(`${TIMELY}X: ${'x'.repeat(65_536)}\r\n\r\n`),
      /headers are too large/,
    ],
    [
      'answers two lengths',
      (socket) => socket.end(`${TIMELY}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`),
      /length|HTTP/,
    ],
  ])('%s', async (_, talk, reason) => {
    const { url } = await startRawReceiver((socket) => talk(socket.on('error', () => undefined)));
    const { attempt, row } = await firstAttempt(url);
    expect(attempt.status).toBeNull();
    expect(attempt.error).toMatch(reason);
    expect(row.state).toBe('pending');
  });

  test('does not listen', async () => {
    const receiver = await startReceiver();
    await receiver.close();
    const { attempt } = await firstAttempt(receiver.url);
    expect(attempt).toMatchObject({ status: null, error: 'connection refused' });
  });

  test('never accepts: the attempt ends in time', async () => {
    const { attempt } = await firstAttempt('http://192.0.2.1:8/hook', {}, 10_000);
    expect(attempt.status).toBeNull();
    expect(attempt.error).toMatch(/no status line|unreachable|connecting timed out|refused/);
  });

  test('sends informational answers without end', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100);
    const { url } = await startRawReceiver((socket) => {
      const flood = (): void => {
        while (socket.write(hints));
      };
      socket.on('drain', flood).on('error', () => undefined);
      flood();
    });
    const { attempt } = await firstAttempt(url);
    expect(attempt).toMatchObject({ status: null, error: 'too many informational answers' });
  });

  test.each(['101 Switching Protocols', '000 Nothing'])(
    'sends a status that can not be: %s',
    async (line) => {
      const { url } = await startRawReceiver((socket) => {
        socket.end(`HTTP/1.1 ${line}\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`);
      });
      const { attempt } = await firstAttempt(url);
      expect(attempt.status).toBeNull();
      expect(attempt.error).toMatch(/^(not an HTTP answer|connection closed before an answer)/);
    },
  );

  test('sends 103 Early Hints first', async () => {
    const { url } = await startRawReceiver((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
      socket.end(`${TIMELY}Content-Length: 2\r\n\r\nok`);
    });
    const { attempt } = await firstAttempt(url);
    expect(attempt).toMatchObject({ status: 200, response: 'ok' });
  });
});

describe('HTTPS', () => {
  const https = async (tls: { cert: string; key: string }, trusted = true, host = '127.0.0.1') => {
    const receiver = await startReceiver(undefined, { tls });
    const outgoing = trusted ? { ca: certificates.AUTHORITY } : {};
    const { attempt } = await firstAttempt(`https://${host}:${receiver.port}/hook`, { outgoing });
    return { attempt, hits: receiver.hits.length };
  };

  test('with a good certificate is delivered', async () => {
    expect(await https(certificates.VALID)).toMatchObject({ attempt: { status: 200, error: null }, hits: 1 });
    expect(await https(certificates.VALID, true, 'localhost')).toMatchObject({
      attempt: { status: 200 },
      hits: 1,
    });
  });

  test.each<[string, { cert: string; key: string }, boolean, RegExp]>([
    ['that has expired', certificates.EXPIRED, true, /certificate has expired/],
    ['for another name', certificates.FOR_ANOTHER_NAME, true, /certificate is for another name/],
    ['of an unknown authority', certificates.VALID, false, /certificate's issuer is not known/],
  ])('with a certificate %s is not', async (_, certificate, trusted, reason) => {
    const { attempt, hits } = await https(certificate, trusted);
    expect(attempt.status).toBeNull();
    expect(attempt.error).toMatch(reason);
    expect(hits).toBe(0);
  });

  test('spoken to a receiver of plain HTTP fails', async () => {
    const receiver = await startReceiver();
    const { attempt } = await firstAttempt(`https://127.0.0.1:${receiver.port}/hook`);
    expect(attempt).toMatchObject({ status: null, error: 'TLS failed' });
  });
});
