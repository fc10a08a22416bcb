import { vi } from 'vitest';
import { testApp } from './app.ts';
import { PATIENCE } from './mailed-account.ts';
import { type ReceivedMail, startSmtpReceiver } from './smtp-receiver.ts';

const PUBLIC_URL = 'https://chat.example.com';

/** What mails to members need, but for an SMTP server. */
export const WITHOUT_SMTP = { PUBLIC_URL, REGISTRATION: 'open' };

/** The kinds of mails to members, by the beginning of their ids. */
export type MemberMailKind = 'password-reset' | 'member-invitation';

export const linkIn = ({ body }: ReceivedMail): string => /^https?:\/\/\S+#token=\S+$/m.exec(body)?.[0] ?? '';
export const tokenIn = (mail: ReceivedMail): string => linkIn(mail).split('#token=')[1] ?? '';

/** An app that mails its members, and what its SMTP server gets; made before the file's tests. */
export const testMemberMails = async () => {
  const smtp = await startSmtpReceiver();
  const app = testApp({ ...WITHOUT_SMTP, SMTP_URL: smtp.url, WEBHOOK_RETRY_DELAYS: '50ms,50ms,50ms' });

  const mailsTo = (kind: MemberMailKind, to: string, mails = smtp.mails): ReceivedMail[] =>
    mails.filter((mail) => mail.to.includes(to) && mail.headers['message-id']?.startsWith(`<${kind}.`));

  /** The newest mail of a kind to an address, once `count` have come. */
  const mailTo = (kind: MemberMailKind, to: string, count = 1): Promise<ReceivedMail> =>
    vi.waitFor(() => {
      const mail = mailsTo(kind, to)[count - 1];
      if (!mail) throw new Error('no mail has come');
      return mail;
    }, PATIENCE);

  /** An account whose owner's address is confirmed. */
  const confirmedAccount = async () => {
    const account = await app.account();
    const stored = await app.services.accounts.byUsername(account.username);
    if (stored) await app.services.confirmations.confirmAccount(stored);
    return { ...account, email: `${account.username}@example.com` };
  };

  /** Waits until nothing is to be mailed. */
  const allMailed = () =>
    vi.waitFor(async () => {
      const waiting = await app.services.models.outgoingMails.countDocuments({ due_at: { $exists: true } });
      if (waiting > 0) throw new Error(`${waiting} mails wait`);
    }, PATIENCE);

  return { app, smtp, mailsTo, mailTo, confirmedAccount, allMailed };
};
