import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { keywordMails, mailedAccount, PATIENCE } from '../../../test/mailed-account.ts';
import { notificationFor } from '../../../test/notifications.ts';
import { startSmtpReceiver } from '../../../test/smtp-receiver.ts';
import { newEvent } from '../../events/events.ts';
import { OriginLeases } from '../../jobs/origin-leases.ts';
import { createMail } from './create-mail.ts';

vi.setConfig({ testTimeout: 120_000 });

const smtp = await startSmtpReceiver();
const app = testApp({ SMTP_URL: smtp.url, WEBHOOK_RETRY_DELAYS: '50ms,50ms,50ms' });

/** An account that has been told of a customer's message, and where it is mailed to. */
const told = async () => {
  const account = await mailedAccount(app);
  await account.ask('I want a refund');
  return { ...account, notification: await account.notification() };
};

const mailsTo = (address: string) => keywordMails(smtp.mails, address);
const triedTo = (address: string) => keywordMails(smtp.tried, address);

const row = (uuid: string) => app.services.models.mails.findOne({ _id: uuid }).lean();
const outgoing = (id: string) => app.services.models.outgoingMails.findOne({ _id: `${id} digest` }).lean();

/** Another process with the same database. */
const otherMail = (more: object, isOnlyProcess = false) => {
  const {
    models,
    config,
    secrets,
    confirmations,
    membersForMail: members,
    notifications,
    log,
  } = app.services;
  const EMBEDDED_MONGODB_LISTEN = isOnlyProcess ? '' : '/run/parlor.sock';
  const mail = createMail({
    models,
    leases: new OriginLeases({
      senders: models.webhookSenders,
      origins: models.webhookOrigins,
      isOnlyProcess,
      log,
    }),
    budgets: { take: async () => ({ booking: { correct: async () => undefined } }) },
    secrets,
    config: { ...config, MONGODB_URL: '', EMBEDDED_MONGODB_LISTEN, ...more },
    notifications,
    confirmations,
    members,
    log,
  });
  if (!mail) throw new Error('no SMTP_URL');
  return mail;
};

const otherMailer = (more: object, isOnlyProcess?: boolean) => otherMail(more, isOnlyProcess).mailer;

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
    // By recipient: a mail of an earlier test may still be on its way.
    answering((mail) => (keywordMails(smtp.tried, mail.to[0] ?? '').length < 3 ? 451 : undefined));
    const { notification, to } = await told();
    await vi.waitFor(() => expect(mailsTo(to)).toHaveLength(1), PATIENCE);
    const tried = triedTo(to);
    expect(tried).toHaveLength(3);
    expect(new Set(tried.map(({ raw }) => raw)).size).toBe(1);
    await vi.waitFor(
      async () => expect(await row(notification.uuid)).toMatchObject({ state: 'sent' }),
      PATIENCE,
    );
  });

  it('has failed after the last attempt, or at once when the address is refused for good', async () => {
    answering(() => 451);
    const late = await told();
    await vi.waitFor(async () => expect((await row(late.notification.uuid))?.state).toBe('failed'), PATIENCE);
    expect((await row(late.notification.uuid))?.error).toContain('451');
    expect(triedTo(late.to)).toHaveLength(4);
    answering(() => 550);
    const never = await told();
    await vi.waitFor(
      async () => expect((await row(never.notification.uuid))?.state).toBe('failed'),
      PATIENCE,
    );
    expect(triedTo(never.to)).toHaveLength(1);
    expect((await notificationFor(app, never.token)).sent_at).toBeNull();
  });

  it('of an account that is deleted meanwhile is mailed to nobody', async () => {
    answering(() => 451);
    const { id, notification, to } = await told();
    await vi.waitFor(() => expect(triedTo(to)).not.toEqual([]), PATIENCE);
    await app.services.models.accounts.deleteOne({ _id: id });
    await vi.waitFor(async () => {
      expect([await row(notification.uuid), await outgoing(id)]).toEqual([null, null]);
    }, PATIENCE);
  });
});

describe('a mail that somebody claimed and died with', () => {
  it('is sent by another process when the claim runs out, and by one that has the database alone at once', async () => {
    const { models, mailer: own } = app.services;
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
    const claimedUntil = async (due_at: Date) => {
      const { uuid } = notification;
      await models.mails.updateOne({ _id: uuid }, { $set: { state: 'pending' } });
      const batch = { id: 'begun', at: new Date(), members: [uuid] };
      await models.outgoingMails.updateOne(
        { _id: `${id} digest` },
        { $set: { claim: 'dead', due_at, batch } },
      );
    };

    const until = new Date(Date.now() + 1_000);
    await claimedUntil(until);
    const beside = otherMailer({});
    await beside.start();
    await vi.waitFor(() => expect(arrivals).toHaveLength(1), PATIENCE);
    await beside.stop();
    expect(arrivals[0]).toBeGreaterThanOrEqual(until.getTime());
    expect((await row(notification.uuid))?.state).toBe('sent');

    await claimedUntil(new Date(Date.now() + 3_600_000));
    const alone = otherMailer({}, true);
    await alone.start();
    await vi.waitFor(() => expect(arrivals).toHaveLength(2), PATIENCE);
    await alone.stop();
    expect((await row(notification.uuid))?.state).toBe('sent');
    expect(mailsTo(to)).toHaveLength(3);
  });

  it('is no mail that waits for its next attempt: a start does not cut its pause short', async () => {
    const { mailer } = app.services;
    await mailer?.stop();
    onTestFinished(() => mailer?.start());
    answering(() => 451);
    const { id, to } = await told();
    const failing = () => otherMailer({ WEBHOOK_RETRY_DELAYS: [3_600_000] }, true);
    const first = failing();
    await first.start();
    await vi.waitFor(async () => expect((await outgoing(id))?.error).toContain('451'), PATIENCE);
    await first.stop();
    const due = (await outgoing(id))?.due_at;
    const next = failing();
    await next.start();
    await next.stop();
    expect(await outgoing(id)).toMatchObject({ due_at: due, tries: 1 });
    expect(triedTo(to)).toHaveLength(1);
  });
});

describe('a mail that is being sent', () => {
  it('is not due meanwhile: a process of an older version, which knows no lease, leaves it alone', async () => {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    answering(async () => {
      await ended;
      return undefined;
    });
    const { id, notification, to } = await told();
    await vi.waitFor(() => expect(triedTo(to)).toHaveLength(1), PATIENCE);
    // By this an older process looks for its next mail.
    const due = { _id: `${id} digest`, due_at: { $lte: new Date() } };
    expect(await app.services.models.outgoingMails.findOne(due).lean()).toBeNull();
    end();
    // Its notifications are marked first, and the mail leaves the queue then.
    await vi.waitFor(async () => expect(await outgoing(id)).not.toHaveProperty('claim'), PATIENCE);
    expect((await row(notification.uuid))?.state).toBe('sent');
    expect(triedTo(to)).toHaveLength(1);
  });
});

describe('an SMTP server that is gone', () => {
  it('is paused after 10 failures in a row, and waiting costs no attempt', async () => {
    const { mailer, models } = app.services;
    await mailer?.stop();
    onTestFinished(() => mailer?.start());
    const { id, notification, to } = await told();
    const gone = await startSmtpReceiver();
    await gone.close();
    const alone = otherMailer({ SMTP_URL: gone.url, WEBHOOK_RETRY_DELAYS: Array(30).fill(1) }, true);
    await alone.start();
    const { host } = new URL(gone.url);
    const lease = () => models.webhookOrigins.findOne({ _id: `smtp://${host}` }).lean();
    await vi.waitFor(async () => expect(await lease()).toMatchObject({ paused: true }), PATIENCE);
    await alone.stop();
    expect(await outgoing(id)).toMatchObject({ tries: 10 });
    expect((await row(notification.uuid))?.state).toBe('pending');
    // The pause outlives the process, and the next one begins with a probe.
    const next = otherMailer({ SMTP_URL: gone.url, WEBHOOK_RETRY_DELAYS: Array(30).fill(1) }, true);
    await next.start();
    await vi.waitFor(async () => expect(await outgoing(id)).toMatchObject({ tries: 11 }), PATIENCE);
    await next.stop();
    expect(await outgoing(id)).toMatchObject({ tries: 11 });
    expect(triedTo(to)).toEqual([]);
  });
});

describe('two processes', () => {
  it('send a mail once, whichever was asked for it', async () => {
    const { mailer, digests } = otherMail({});
    await mailer.start();
    onTestFinished(() => mailer.stop());
    const accounts = await Promise.all([told(), told(), told()]);
    for (const { id } of accounts) await digests.request(id);
    for (const { notification, to } of accounts) {
      await vi.waitFor(async () => expect((await row(notification.uuid))?.state).toBe('sent'), PATIENCE);
      expect(triedTo(to)).toHaveLength(1);
    }
  });
});

describe('a mail of an older version, which had a time of its own', () => {
  it('is sent after an update', async () => {
    const { models, mailer } = app.services;
    await mailer?.stop();
    onTestFinished(() => mailer?.start());
    const { id, notification, to } = await told();
    const old = { due_at: new Date(Date.now() + 3_600_000), claim: 'dead', tries: 1 };
    await models.mails.updateOne({ _id: notification.uuid }, { $set: old, $unset: { expires_at: 1 } });
    await models.outgoingMails.deleteOne({ _id: `${id} digest` });
    await mailer?.start();
    await vi.waitFor(() => expect(mailsTo(to)).toHaveLength(1), PATIENCE);
    await vi.waitFor(async () => expect((await row(notification.uuid))?.state).toBe('sent'), PATIENCE);
    expect((await row(notification.uuid))?.due_at).toBeUndefined();
  });
});
