import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as the server took it. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** As it came over the wire. */
  raw: string;
  /** Unfolded, by name in lower case. */
  headers: Record<string, string>;
  /** Decoded. */
  body: string;
}

type Refusal = number | { code: number; text: string };

export interface SmtpReceiver {
  url: string;
  mails: ReceivedMail[];
  /** What the next mails are answered after their text: undefined takes them, an SMTP code refuses, also with words. */
  answer: (mail: ReceivedMail) => Promise<Refusal | undefined> | Refusal | undefined;
  /** Mails that were sent, taken or not. */
  tried: ReceivedMail[];
  close(): Promise<void>;
}

/** Reads a mail of one part: headers, and the text behind its transfer encoding. */
export const readMail = (raw: string): Pick<ReceivedMail, 'headers' | 'body'> => {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(': ');
      return [name.toLowerCase(), decodeWords(value.join(': '))];
    }),
  );
  const encoded = rest.join('\r\n\r\n');
  const encoding = headers['content-transfer-encoding'];
  const bytes =
    encoding === 'base64'
      ? Buffer.from(encoded, 'base64')
      : encoding === 'quoted-printable'
        ? fromQuotedPrintable(encoded)
        : Buffer.from(encoded);
  return { headers, body: bytes.toString('utf8').replaceAll('\r\n', '\n') };
};

const fromQuotedPrintable = (encoded: string): Buffer =>
  Buffer.from(
    encoded
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

/** Encoded words (RFC 2047); white space between two of them is none. */
const decodeWords = (value: string): string =>
  value
    .replace(/(\?=)\s+(=\?)/g, '$1$2')
    .replace(/=\?UTF-8\?([BQ])\?(.*?)\?=/gi, (_, kind: string, encoded: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(encoded, 'base64').toString('utf8')
        : fromQuotedPrintable(encoded.replaceAll('_', ' ')).toString('utf8'),
    );

/** A real SMTP server on loopback. */
export const startSmtpReceiver = async (options: SMTPServerOptions = {}): Promise<SmtpReceiver> => {
  const receiver: SmtpReceiver = { url: '', mails: [], tried: [], answer: () => undefined, close };
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    async onData(stream, session, done) {
      const raw = await text(stream).catch(() => undefined);
      // The client died in the middle of it.
      if (raw === undefined) return;
      const { mailFrom, rcptTo } = session.envelope;
      const mail: ReceivedMail = {
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        raw,
        ...readMail(raw),
      };
      receiver.tried.push(mail);
      const refusal = await receiver.answer(mail);
      if (refusal !== undefined) {
        const { code, text } = typeof refusal === 'number' ? { code: refusal, text: 'not now' } : refusal;
        done(Object.assign(new Error(text), { responseCode: code }));
        return;
      }
      receiver.mails.push(mail);
      done();
    },
    ...options,
  });
  // A client that dies in the middle of a mail.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  receiver.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  function close(): Promise<void> {
    return new Promise((resolve) => server.close(resolve));
  }
  return receiver;
};
