import { describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { keywordMails, mailedAccount, PATIENCE } from '../../../test/mailed-account.ts';
import { startSmtpReceiver } from '../../../test/smtp-receiver.ts';
import { Budgets } from '../../database/budgets.ts';
import { MailBudgets } from './mail-budgets.ts';

vi.setConfig({ testTimeout: 120_000 });

const smtp = await startSmtpReceiver();
const SETTINGS = { SMTP_URL: smtp.url, MAIL_DIGEST_WINDOW: '0s', CONFIRMATION_MAILS_PER_HOUR: '0' };
const mailsTo = (to: string) => keywordMails(smtp.mails, to);

describe('the mails of an account and day', () => {
  const app = testApp({ ...SETTINGS, MAILS_PER_DAY: '2' });

  it('have a limit, and what is beyond comes with the first of the next day', async () => {
    const { id, to, ask, raised } = await mailedAccount(app);
    const { mails, outgoingMails, usage } = app.services.models;
    const sent = () => mails.countDocuments({ account: id, state: 'sent' });
    for (let n = 1; n <= 2; n++) {
      await ask(`refund ${n}`);
      await vi.waitFor(async () => expect(await sent()).toBe(n), PATIENCE);
    }
    const midnight = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400_000;
    const next = async () =>
      (await outgoingMails.findOne({ _id: `${id} digest` }).lean())?.due_at?.getTime() ?? 0;
    for (let n = 3; n <= 5; n++) await ask(`refund ${n}`);
    await raised(5);
    await vi.waitFor(async () => {
      expect(await next()).toBeGreaterThanOrEqual(midnight);
      expect(await mails.countDocuments({ account: id })).toBe(5);
    }, PATIENCE);
    expect(app.services.mailer?.counts.deferred).toBeGreaterThan(0);
    expect(mailsTo(to)).toHaveLength(2);

    await usage.deleteMany({});
    await outgoingMails.updateOne({ _id: `${id} digest` }, { $set: { due_at: new Date() } });
    await vi.waitFor(() => expect(mailsTo(to)).toHaveLength(3), PATIENCE);
    expect(mailsTo(to)[2]?.headers.subject).toBe('3 messages mentioned your keywords');
  });

  it('do not count confirmations, and those of others', async () => {
    const { id, to, ask } = await mailedAccount(app);
    await ask('refund');
    await vi.waitFor(() => expect(mailsTo(to)).toHaveLength(1), PATIENCE);
    const own = { _id: { $regex: `^${id} mails` } };
    expect((await app.services.models.usage.findOne(own).lean())?.used).toBe(1);
  });
});

describe('the mails of all accounts in an hour', () => {
  const app = testApp(SETTINGS);

  it('have one limit over all processes, also when they ask at once', async () => {
    const limits = { account: 0, server: 10, confirmations: 4 };
    const processes = Array.from(
      { length: 3 },
      () => new MailBudgets(new Budgets(app.services.models.usage), app.services.secrets, limits),
    );
    const at = Date.now() + 7_200_000;
    const take = (kind: 'digest' | 'confirmation') => (_: unknown, n: number) =>
      processes[n % 3]?.take({ kind, account: `account ${n}` }, at);
    const confirmations = await Promise.all(Array.from({ length: 12 }, take('confirmation')));
    const isTaken = (until: Date | 'never' | undefined) => until === undefined;
    expect(confirmations.filter(isTaken).length).toBeLessThanOrEqual(4);
    const digests = await Promise.all(Array.from({ length: 30 }, take('digest')));
    const others: (Date | 'never' | undefined)[] = [];
    // Of those that asked at once all may have been refused; one after the other gets what is left.
    for (let n = 0; n < 12; n++)
      others.push(await processes[n % 3]?.take({ kind: 'digest', account: 'last' }, at));
    expect([...confirmations, ...digests, ...others].filter(isTaken)).toHaveLength(10);
    const hour = (Math.floor(at / 3_600_000) + 1) * 3_600_000;
    for (const until of others.filter((one) => one instanceof Date)) {
      expect(until.getTime() - hour).toBeGreaterThanOrEqual(0);
      expect(until.getTime() - hour).toBeLessThanOrEqual(60_000);
    }
  });
});
