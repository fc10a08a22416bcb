import { vi } from 'vitest';
import type { TestApp } from './app.ts';
import { notificationFor } from './notifications.ts';
import type { ReceivedMail, SmtpReceiver } from './smtp-receiver.ts';

/** For what comes by itself, on a machine that is ten times slower. */
export const PATIENCE = { timeout: 60_000, interval: 20 };

/** An account that wants to be told of refunds, and a conversation in which a customer asks for them. */
export const mailedAccount = async (app: TestApp, isConfirmed = true) => {
  const { token, id, username } = await app.account();
  const account = await app.services.accounts.byUsername(username);
  if (account && isConfirmed) await app.services.confirmations.confirmAccount(account);
  await app.request('POST', '/api/v1/keywords/', { token, body: { keyword: 'refund' } });
  const room = (await app.request('POST', '/api/v1/rooms/', { token, body: {} })).json;
  return {
    token,
    id,
    username,
    to: `${username}@example.com`,
    room,
    /** A customer's message. */
    ask: (body: string, nickname = 'Ada') =>
      app.request('POST', '/api/v1/messages/', {
        token,
        body: { body, nickname, room: { uuid: room.uuid } },
      }),
    /** Waits until that number of notifications was raised, and gives them, newest first. */
    raised: (count: number) =>
      vi.waitFor(async () => {
        const { json } = await app.request('GET', '/api/v1/keyword_notifications/?limit=1000', { token });
        if (json.length < count) throw new Error(`${json.length} were raised`);
        return json;
      }, PATIENCE),
    notification: () => notificationFor(app, token),
  };
};

/** The mails to an address about keywords, and not those that confirm it. */
export const keywordMails = (mails: readonly ReceivedMail[], to: string): ReceivedMail[] =>
  mails.filter((mail) => mail.to.includes(to) && mail.headers['message-id']?.startsWith('<keyword-'));

/** The mails with links to confirm an address. */
export const confirmationMails = (mails: readonly ReceivedMail[], to: string): ReceivedMail[] =>
  mails.filter(
    (mail) => mail.to.includes(to) && mail.headers['message-id']?.startsWith('<email-confirmation.'),
  );

/** The address in a confirmation mail. */
export const linkOf = (mail: ReceivedMail | undefined): string =>
  /^https?:\/\/\S+\/confirm-email\?token=\S+$/m.exec(mail?.body ?? '')?.[0] ?? '';

/** Opens the link in the first confirmation mail to an address, and presses the button. */
export const confirmByMail = async (smtp: SmtpReceiver, to: string): Promise<void> => {
  const link = await vi.waitFor(() => {
    const [mail] = confirmationMails(smtp.mails, to);
    if (!mail) throw new Error('no confirmation mail has come');
    return linkOf(mail);
  }, PATIENCE);
  const { status } = await fetch(link, { method: 'POST' });
  if (status !== 200) throw new Error(`confirming answered ${status}`);
};
