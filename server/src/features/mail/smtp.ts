import { hostname } from 'node:os';
import type { Config } from '../../platform/config.ts';
import type { Duration } from '../../platform/duration.ts';
import { loadLater } from '../../platform/load-later.ts';
import { isMailAddress } from '../../platform/mail-address.ts';
import { timeLimit } from '../../platform/time-limit.ts';
import type { MailContent } from './mail-content.ts';
import { SmtpSocket } from './smtp-socket.ts';

/**
 * What came of a mail. `refused`: the server will never take it, however often it is asked; `isWell`: the server is
 * at work, and it was about this mail.
 */
export type Outcome =
  | { kind: 'sent' }
  | { kind: 'failed' | 'refused'; error: string; isWell?: true | undefined };

export interface Envelope {
  to: string;
  /** Unique to what the mail tells, and the same in each attempt: a second copy can be known as such (RFC 5322, 3.6.4). */
  id: string;
  date: Date;
}

/** Sends a mail once, unless `signal` breaks it off. It never throws: whatever goes wrong is in the outcome. */
export type SendMail = (envelope: Envelope, content: MailContent, signal?: AbortSignal) => Promise<Outcome>;

/** The replies to RCPT TO and DATA are about this mail; all others are about the server or its settings. */
const ABOUT_THE_MAIL = new Set(['RCPT TO', 'DATA']);

/** Who mails come from: SMTP_FROM, else the user of SMTP_URL where that is an address, else parlor@ this host. */
export const senderAddress = ({
  SMTP_FROM,
  SMTP_URL,
  PUBLIC_URL,
}: Pick<Config, 'SMTP_FROM' | 'SMTP_URL' | 'PUBLIC_URL'>): string => {
  if (SMTP_FROM !== '') return SMTP_FROM;
  const user = decodeURIComponent(new URL(SMTP_URL).username);
  if (isMailAddress(user)) return user;
  return `parlor@${PUBLIC_URL === '' ? hostname() : new URL(PUBLIC_URL).hostname}`;
};

/**
 * @param url `smtp://` (STARTTLS where the server offers it) or `smtps://`, with user and password inside
 * @param timeout milliseconds for a whole mail, connecting included
 */
export const createSmtp = ({
  url,
  from,
  timeout,
}: {
  url: string;
  from: string;
  timeout: Duration;
}): SendMail => {
  const nodemailer = loadLater<typeof import('nodemailer')>('nodemailer');
  const transportOver = (socket: SmtpSocket) =>
    nodemailer().createTransport({
      url,
      socket,
      disableFileAccess: true,
      disableUrlAccess: true,
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      dnsTimeout: timeout,
    });
  const domain = from.slice(from.lastIndexOf('@') + 1);

  return async ({ to, id, date }, { subject, text }, brokenOff) => {
    // nodemailer would read a list in it.
    if (!isMailAddress(to)) {
      return { kind: 'refused', error: "the account's address is not one address", isWell: true };
    }
    const socket = new SmtpSocket();
    try {
      await transportOver(socket).sendMail({
        // As objects: no text of anybody is read as a list of addresses.
        from: { name: 'Parlor', address: from },
        to: { name: '', address: to },
        envelope: { from, to: [to] },
        messageId: `<${id}@${domain}>`,
        date,
        subject,
        text,
        // No vacation notice answers it (RFC 3834, 5).
        headers: { 'Auto-Submitted': 'auto-generated' },
        // Also against a server that keeps the connection going with a byte now and then.
        signal: timeLimit(timeout, ...(brokenOff ? [brokenOff] : [])),
      });
      return { kind: 'sent' };
    } catch (error) {
      const { responseCode = 0, command = '', name } = error as SmtpError;
      const isWell = responseCode > 0 && ABOUT_THE_MAIL.has(command) ? true : undefined;
      const isForGood = isWell && responseCode >= 500;
      const isLate = name === 'AbortError' || name === 'TimeoutError';
      const reason = socket.isFlooded
        ? SmtpSocket.TOO_MUCH
        : isLate
          ? `not taken within ${timeout / 1_000} s`
          : reasonOf(error as SmtpError);
      return { kind: isForGood ? 'refused' : 'failed', error: reason, isWell };
    } finally {
      socket.giveUpUnconnected();
    }
  };
};

type SmtpError = Error & { code?: string; response?: string; responseCode?: number; command?: string };

/**
 * Why it failed, to be kept and logged: of a reply its codes alone (RFC 5321, 4.2.1; RFC 3463, 2), since the server's text may
 * quote whom the mail was for, and what a visitor wrote in it.
 */
const reasonOf = ({ code, message, response, command = '' }: SmtpError): string => {
  if (!response && code !== 'EPROTOCOL') return firstLine(message);
  const [, reply, status] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})(?!\S))?/.exec(response ?? '') ?? [];
  if (reply === undefined) return 'not an SMTP reply';
  const codes = status === undefined ? reply : `${reply} ${status}`;
  return command === 'CONN' ? `greeted with ${codes}` : `answered ${codes} to ${command}`;
};

/** What the network says, without addresses of mail. */
const firstLine = (text: string): string =>
  (text.split('\n', 1)[0] ?? '')
    .slice(0, 1_000)
    .replace(/[^\s<>"@]+@[^\s<>"]+/g, '…')
    .slice(0, 300);
