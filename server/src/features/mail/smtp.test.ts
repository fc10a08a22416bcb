import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSmtpReceiver } from '../../../test/smtp-receiver.ts';
import { createSmtp, senderAddress } from './smtp.ts';

const ENVELOPE = {
  to: 'owner@example.com',
  id: 'keyword-notification.1',
  date: new Date('2026-11-21T09:30:00Z'),
};
const LETTER = { subject: 'Ada mentioned “refund”', text: 'Grüße 🦉\n.\nthe end\n' };

const smtp = (url: string, timeout = 5_000) => createSmtp({ url, from: 'parlor@shop.example', timeout });

const receiver = async (...options: Parameters<typeof startSmtpReceiver>) => {
  const started = await startSmtpReceiver(...options);
  onTestFinished(() => started.close());
  return started;
};

/** A server that speaks bytes; `talk` gets each connection. */
const rawServer = async (talk: (socket: Socket) => void): Promise<string> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).resume());
    talk(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

it('is given up once its server has sent 64 KiB of blank lines', async () => {
  const blank = '\r\n'.repeat(30_000);
  const url = await rawServer((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(blank));
    };
    socket.on('drain', more);
    more();
  });
  const outcome = await smtp(url, 20_000)(ENVELOPE, LETTER);
  expect(outcome).toEqual({ kind: 'failed', error: 'the server sent more than 64 KiB', isWell: undefined });
});

describe('a mail', () => {
  it('is plain text with its own Message-ID, to one address', async () => {
    const { url, mails } = await receiver();
    expect(await smtp(url)(ENVELOPE, LETTER)).toEqual({ kind: 'sent' });
    const [mail] = mails;
    expect([mail?.from, mail?.to]).toEqual(['parlor@shop.example', ['owner@example.com']]);
    expect(mail?.headers).toMatchObject({
      from: 'Parlor <parlor@shop.example>',
      to: 'owner@example.com',
      subject: LETTER.subject,
      'message-id': '<keyword-notification.1@shop.example>',
      'content-type': 'text/plain; charset=utf-8',
      'auto-submitted': 'auto-generated',
      date: 'Sat, 21 Nov 2026 09:30:00 +0000',
    });
    expect(mail?.body).toBe(LETTER.text);
  });

  it('has no header that its texts bring along', async () => {
    const { url, mails } = await receiver();
    const subject = 'a\r\nBcc: evil@example.com\r\n\r\nbody';
    await smtp(url)({ ...ENVELOPE, to: 'owner@example.com' }, { subject, text: 'x\r\n.\r\nRSET\r\n' });
    const [mail] = mails;
    expect(Object.keys(mail?.headers ?? {})).not.toContain('bcc');
    expect(mail?.to).toEqual(['owner@example.com']);
    expect(mail?.body).toBe('x\n.\nRSET\n');
  });

  it('goes to no second address that hides in the first', async () => {
    const { url, mails } = await receiver();
    for (const to of ['a@example.com, evil@example.com', 'a@example.com>\r\nRCPT TO:<evil@example.com'])
      expect(await smtp(url)({ ...ENVELOPE, to }, LETTER)).toMatchObject({ kind: 'refused' });
    expect(mails).toEqual([]);
  });

  it('is sent with the user and password of the URL', async () => {
    const tried: unknown[] = [];
    const { url, mails } = await receiver({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ username, password }, _, done) {
        tried.push([username, password]);
        if (password === 'p@ss') done(null, { user: username });
        else done(new Error('no'));
      },
    });
    const withPassword = (password: string) =>
      url.replace('//', `//me%40shop.example:${encodeURIComponent(password)}@`);
    expect(await smtp(withPassword('p@ss'))(ENVELOPE, LETTER)).toEqual({ kind: 'sent' });
    const wrong = await smtp(withPassword('wrong'))(ENVELOPE, LETTER);
    // The operator can mend that: it is not the mail's fault.
    expect(wrong).toMatchObject({ kind: 'failed', error: expect.stringContaining('535') });
    expect(JSON.stringify(wrong)).not.toContain('wrong');
    expect([tried, mails.length]).toEqual([
      [
        ['me@shop.example', 'p@ss'],
        ['me@shop.example', 'wrong'],
      ],
      1,
    ]);
  });
});

describe('a server that', () => {
  it('says later is asked again later', async () => {
    const server = await receiver();
    server.answer = () => 451;
    expect(await smtp(server.url)(ENVELOPE, LETTER)).toMatchObject({
      kind: 'failed',
      error: expect.stringContaining('451'),
    });
  });

  it.each(['onRcptTo', 'onData'])('says never (%s) is not asked again', async (at) => {
    const refuse = Object.assign(new Error('no such mailbox'), { responseCode: 550 });
    const server = await receiver(at === 'onRcptTo' ? { onRcptTo: (_, __, done) => done(refuse) } : {});
    if (at === 'onData') server.answer = () => 550;
    expect(await smtp(server.url)(ENVELOPE, LETTER)).toMatchObject({ kind: 'refused' });
  });

  it.each([
    [`550 5.2.2 <${ENVELOPE.to}> is full`, 'answered 550 5.2.2 to DATA'],
    ['554 spam: "Grüße"', 'answered 554 to DATA'],
    ['554-spam:\r\n554 "Grüße"', 'answered 554 to DATA'],
    ['554 5.7.1Grüße', 'answered 554 to DATA'],
    ['Grüße', 'not an SMTP reply'],
  ])('says why in words of its own (%j) is quoted with its codes alone', async (reply, error) => {
    const url = await rawServer((socket) => {
      let isText = false;
      socket.write('220 hello\r\n');
      socket.on('data', (data) => {
        const said = data.toString();
        if (isText && !said.endsWith('\r\n.\r\n')) return;
        const isBegun = said.startsWith('DATA');
        socket.write(isText ? `${reply}\r\n` : isBegun ? '354 go on\r\n' : '250 fine\r\n');
        isText = isBegun;
      });
    });
    expect(await smtp(url)(ENVELOPE, LETTER)).toMatchObject({ error });
  });

  it('does not let this sender in is asked again', async () => {
    const refuse = Object.assign(new Error('who are you'), { responseCode: 550 });
    const { url } = await receiver({ onMailFrom: (_, __, done) => done(refuse) });
    expect(await smtp(url)(ENVELOPE, LETTER)).toMatchObject({ kind: 'failed' });
  });

  const BROKEN: [what: string, talk: (socket: Socket) => void][] = [
    ['accepts and says nothing', () => undefined],
    [
      'drips its greeting',
      (socket) => {
        const timer = setInterval(() => socket.write('2'), 50);
        socket.once('close', () => clearInterval(timer));
      },
    ],
    [
      'greets on and on',
      (socket) => {
        const timer = setInterval(() => socket.write('220-welcome\r\n'), 50);
        socket.once('close', () => clearInterval(timer));
      },
    ],
    ['drops the connection', (socket) => void socket.destroy()],
    ['drops it after its greeting', (socket) => void socket.end('220 hello\r\n')],
    ['speaks another language', (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ];
  it.each(BROKEN)('%s is one failed attempt, in time', async (_, talk) => {
    const url = await rawServer(talk);
    const begun = performance.now();
    const outcome = await smtp(url, 600)(ENVELOPE, LETTER);
    expect(outcome).toMatchObject({ kind: 'failed', error: expect.stringMatching(/\w/) });
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('is not there is one failed attempt', async () => {
    const { url, close } = await startSmtpReceiver();
    await close();
    expect(await smtp(url)(ENVELOPE, LETTER)).toMatchObject({
      kind: 'failed',
      error: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('hangs after the text is given up in time', async () => {
    const server = await receiver();
    let letGo: ((code: number) => void) | undefined;
    server.answer = () =>
      new Promise((resolve) => {
        letGo = resolve;
      });
    expect(await smtp(server.url, 600)(ENVELOPE, LETTER)).toEqual({
      kind: 'failed',
      error: 'not taken within 0.6 s',
    });
    letGo?.(451);
  });
});

describe('who mails come from', () => {
  it.each([
    ['', 'smtp://me%40shop.example:secret@smtp.example', '', 'me@shop.example'],
    ['', 'smtp://apikey:secret@smtp.example', 'https://chat.shop.example', 'parlor@chat.shop.example'],
    ['chat@shop.example', 'smtp://me%40x.example:secret@smtp.example', '', 'chat@shop.example'],
    ['', 'smtp://smtp.example', '', expect.stringMatching(/^parlor@./)],
  ])('%j %s %j: %s', (SMTP_FROM, SMTP_URL, PUBLIC_URL, from) => {
    expect(senderAddress({ SMTP_FROM, SMTP_URL, PUBLIC_URL })).toEqual(from);
  });
});
