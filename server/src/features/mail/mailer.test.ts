import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { notificationFor } from '../../../test/notifications.ts';
import { startSmtpReceiver } from '../../../test/smtp-receiver.ts';
import { newEvent } from '../../events/events.ts';
import { Mailer } from './mailer.ts';
import { createSmtp } from './smtp.ts';

const smtp = await startSmtpReceiver();
const app = testApp({ SMTP_URL: smtp.url, WEBHOOK_RETRY_DELAYS: '50ms,50ms,50ms' });

const PATIENCE = { timeout: 60_000, interval: 20 };

/** An account that has been told of a customer's message, and where it is mailed to. */
const told = async (body = 'I want a refund') => {
  const { token, id, username } = await app.account();
  await app.request('POST', '/api/v1/keywords/', { token, body: { keyword: 'refund' } });
  const room = (await app.request('POST', '/api/v1/rooms/', { token, body: {} })).json.uuid;
  await app.request('POST', '/api/v1/messages/', {
    token,
    body: { body, nickname: 'Ada', room: { uuid: room } },
  });
  const notification = await notificationFor(app, token);
  return { token, id, notification, to: `${username}@example.com` };
};

const notificationsOf = (account: string, uuids: readonly string[]) =>
  app.services.notifications.byUuids(account, uuids);

const mailsTo = (address: string) => smtp.mails.filter(({ to }) => to.includes(address));

const row = (uuid: string) => app.services.models.mails.findOne({ _id: uuid }).lean();

const answering = (answer: typeof smtp.answer) => {
  smtp.answer = answer;
  onTestFinished(() => {
    smtp.answer = () => undefined;
  });
};

describe('a keyword notification', () => {
  it('is mailed to its account once, and marked as sent', async () => {
    const { token, id, notification, to } = await told();
    await vi.waitFor(async () => expect((await row(notification.uuid))?.state).toBe('sent'), PATIENCE);
    const [mail, ...more] = mailsTo(to);
    expect(more).toEqual([]);
    expect(mail?.headers).toMatchObject({
      subject: 'Ada mentioned “refund”',
      'message-id': expect.stringMatching(`^<keyword-notification\\.${notification.uuid}@.+>$`),
    });
    expect(mail?.body).toContain('> I want a refund');
    expect((await notificationFor(app, token)).sent_at).not.toBeNull();

    // The same event once more, as after a crash, makes no second mail.
    const again = newEvent('keyword_notification.added', id, new Date(), notification);
    await app.services.mailer?.consume([again]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(mailsTo(to)).toHaveLength(1);
    // What was said is not kept in the mark.
    expect(Object.keys((await row(notification.uuid)) ?? {})).not.toContain('notification');
  });

  it('is tried again until the server takes it, under the same Message-ID', async () => {
    let refusals = 2;
    answering(() => (refusals-- > 0 ? 451 : undefined));
    const { notification, to } = await told();
    await vi.waitFor(() => expect(mailsTo(to)).toHaveLength(1), PATIENCE);
    const tried = smtp.tried.filter((mail) => mail.to.includes(to));
    expect(tried).toHaveLength(3);
    expect(new Set(tried.map(({ raw }) => raw)).size).toBe(1);
    await vi.waitFor(
      async () => expect(await row(notification.uuid)).toMatchObject({ state: 'sent', tries: 2 }),
      PATIENCE,
    );
  });

  it('has failed after the last attempt, or at once when the address is refused for good', async () => {
    answering(() => 451);
    const late = await told();
    await vi.waitFor(async () => expect((await row(late.notification.uuid))?.state).toBe('failed'), PATIENCE);
    expect(await row(late.notification.uuid)).toMatchObject({
      tries: 4,
      error: expect.stringContaining('451'),
    });
    answering(() => 550);
    const never = await told();
    await vi.waitFor(
      async () => expect((await row(never.notification.uuid))?.state).toBe('failed'),
      PATIENCE,
    );
    expect(await row(never.notification.uuid)).toMatchObject({ tries: 1 });
    expect((await notificationFor(app, never.token)).sent_at).toBeNull();
  });

  it('of an account that is deleted meanwhile is mailed to nobody', async () => {
    answering(() => 451);
    const { id, notification, to } = await told();
    await vi.waitFor(() => expect(smtp.tried.some((mail) => mail.to.includes(to))).toBe(true), PATIENCE);
    await app.services.models.accounts.deleteOne({ _id: id });
    await vi.waitFor(async () => expect(await row(notification.uuid)).toBeNull(), PATIENCE);
  });
});

describe('a mail that somebody claimed and died with', () => {
  it('is sent by another process when the claim runs out, and by one that has the database alone at once', async () => {
    const { models, log, mailer: own } = app.services;
    const { id, notification, to } = await told();
    await vi.waitFor(async () => expect((await row(notification.uuid))?.state).toBe('sent'), PATIENCE);
    // Only the processes of this test take the claim over.
    await own?.stop();
    onTestFinished(() => own?.start());
    const arrivals: number[] = [];
    answering(() => {
      arrivals.push(Date.now());
      return undefined;
    });
    const send = createSmtp({ url: smtp.url, from: 'parlor@shop.example', timeout: 30_000 });
    const mailer = (isOnlyProcess: boolean) =>
      new Mailer(
        { ...models, send, notificationsOf, onSent: async () => undefined, log },
        { delays: [], isOnlyProcess },
      );
    const claimedUntil = (due_at: Date) =>
      models.mails.updateOne(
        { _id: notification.uuid },
        { $set: { state: 'pending', claim: 'dead', account: id, due_at } },
      );

    const until = new Date(Date.now() + 1_000);
    await claimedUntil(until);
    const beside = mailer(false);
    await beside.start();
    await vi.waitFor(() => expect(arrivals).toHaveLength(1), PATIENCE);
    await beside.stop();
    expect(arrivals[0]).toBeGreaterThanOrEqual(until.getTime());
    expect((await row(notification.uuid))?.state).toBe('sent');

    await claimedUntil(new Date(Date.now() + 3_600_000));
    const alone = mailer(true);
    await alone.start();
    await vi.waitFor(() => expect(arrivals).toHaveLength(2), PATIENCE);
    await alone.stop();
    expect((await row(notification.uuid))?.state).toBe('sent');
    expect(mailsTo(to)).toHaveLength(3);
  });

  it('is no mail that waits for its next attempt: a start does not cut its pause short', async () => {
    const { models, log, mailer } = app.services;
    const { notification } = await told();
    await vi.waitFor(async () => expect((await row(notification.uuid))?.state).toBe('sent'), PATIENCE);
    await mailer?.stop();
    onTestFinished(() => mailer?.start());
    const set = { state: 'pending' as const, due_at: new Date() };
    await models.mails.updateOne({ _id: notification.uuid }, { $set: set });
    const failing = () =>
      new Mailer(
        {
          ...models,
          send: async () => ({ kind: 'failed', error: 'busy' }),
          notificationsOf,
          onSent: async () => undefined,
          log,
        },
        { delays: [3_600_000], isOnlyProcess: true },
      );
    const first = failing();
    await first.start();
    await vi.waitFor(async () => expect((await row(notification.uuid))?.error).toBe('busy'), PATIENCE);
    await first.stop();
    const due = (await row(notification.uuid))?.due_at;
    const next = failing();
    await next.start();
    await next.stop();
    expect(await row(notification.uuid)).toMatchObject({ due_at: due, tries: 1 });
  });
});
