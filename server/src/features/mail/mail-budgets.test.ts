import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { keywordMails, mailedAccount, PATIENCE } from '../../../test/mailed-account.ts';
import { startSmtpReceiver } from '../../../test/smtp-receiver.ts';
import { Budgets, usageModel } from '../../database/budgets.ts';
import { MailBudgets } from './mail-budgets.ts';
import type { MailKind } from './outgoing-mails.model.ts';

vi.setConfig({ testTimeout: 120_000 });

const smtp = await startSmtpReceiver();
const SETTINGS = { SMTP_URL: smtp.url, MAIL_DIGEST_WINDOW: '0s', CONFIRMATION_MAILS_PER_HOUR: '0' };
type Taken = Awaited<ReturnType<MailBudgets['take']>> | undefined;
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
      () =>
        new MailBudgets(
          new Budgets(app.services.models.usage),
          app.services.secrets,
          limits,
          app.services.log,
        ),
    );
    const at = Date.now() + 7_200_000;
    const take = (kind: 'digest' | 'confirmation') => (_: unknown, n: number) =>
      processes[n % 3]?.take({ kind, account: `account ${n}` }, at);
    const confirmations = await Promise.all(Array.from({ length: 12 }, take('confirmation')));
    const isTaken = (taken: Taken) => typeof taken === 'object' && 'correct' in taken;
    expect(confirmations.filter(isTaken).length).toBeLessThanOrEqual(4);
    const digests = await Promise.all(Array.from({ length: 30 }, take('digest')));
    const others: Taken[] = [];
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

describe('the mails of a server with MAILS_PER_HOUR_TOTAL', () => {
  /** What asks for a mail of each kind: a new kind has to stand here. */
  const kinds = ['confirmation', 'digest', 'invitation', 'password-reset'] as const;
  const app = testApp({ ...SETTINGS, MAILS_PER_HOUR_TOTAL: String(kinds.length) });

  it('all count, of whatever kind, and all that are beyond wait for the next hour', async () => {
    const { models, accounts, confirmations } = app.services;
    await farFromHour();
    const { token, id, username } = await app.account();
    const to = `${username}@example.com`;
    const say = (body: string) => app.request('POST', '/api/v1/messages/', { token, body: { body, room } });
    let room = {};
    const ask: Record<MailKind, () => Promise<{ status: number; to: string; from: string }>> = {
      // Whoever registers gets one.
      confirmation: async () => {
        const other = await app.account();
        return { status: 200, to: `${other.username}@example.com`, from: other.id };
      },
      digest: async () => ({ ...(await say('A refund, please')), to, from: id }),
      invitation: async () => {
        const email = `guest-${crypto.randomUUID().slice(0, 8)}@example.com`;
        const { status } = await app.request('POST', '/api/v1/members/', { token, body: { email } });
        return { status, to: email, from: id };
      },
      'password-reset': async () => {
        const { status } = await app.request('POST', '/api/v1/auth/password-reset', { body: { email: to } });
        return { status, to, from: id };
      },
    };
    expect(Object.keys(ask)).toEqual(kinds);

    const used = async () =>
      (await models.usage.find({ _id: /^server mails / }).lean()).reduce((sum, { used }) => sum + used, 0);
    const came = (address: string) => smtp.mails.filter((mail) => mail.to.includes(address)).length;
    /** Waits until one more has come to an address than before. */
    const comes = async (address: string, before: number) =>
      vi.waitFor(() => expect(came(address)).toBe(before + 1), PATIENCE);

    // The one that confirms its own address.
    await comes(to, 0);
    expect(await used()).toBe(1);
    const account = await accounts.byUsername(username);
    if (account) await confirmations.confirmAccount(account);
    await app.request('POST', '/api/v1/keywords/', { token, body: { keyword: 'refund' } });
    room = { uuid: (await app.request('POST', '/api/v1/rooms/', { token, body: {} })).json.uuid };
    for (const [n, kind] of kinds.slice(1).entries()) {
      const before = came(to);
      const asked = await ask[kind]();
      expect([kind, asked.status < 300]).toEqual([kind, true]);
      await comes(asked.to, asked.to === to ? before : 0);
      expect([kind, await used()]).toEqual([kind, n + 2]);
    }

    const hour = (Math.floor(Date.now() / 3_600_000) + 1) * 3_600_000;
    const sent = smtp.mails.length;
    const waiting: string[] = [];
    for (const kind of kinds) {
      const asked = await ask[kind]();
      // Whoever asks learns nothing of it.
      expect([kind, asked.status < 300]).toEqual([kind, true]);
      waiting.push(asked.to);
      const next = { account: asked.from, kind, due_at: { $gte: new Date(hour) } };
      await vi.waitFor(
        async () => expect([kind, await models.outgoingMails.countDocuments(next)]).toEqual([kind, 1]),
        PATIENCE,
      );
    }
    expect(smtp.mails).toHaveLength(sent);
    expect(await used()).toBe(kinds.length);
    const latest = await models.outgoingMails.find({ due_at: { $gt: new Date(hour + 60_000) } }).lean();
    expect(latest).toEqual([]);

    // The next hour.
    const before = waiting.map(came);
    await models.usage.deleteMany({ _id: /^server mails / });
    await models.outgoingMails.updateMany(
      { due_at: { $gte: new Date(hour) } },
      { $set: { due_at: new Date() } },
    );
    await vi.waitFor(() => expect(smtp.mails).toHaveLength(sent + kinds.length), PATIENCE);
    expect(waiting.map(came).every((count, n) => count > (before[n] ?? 0))).toBe(true);
    expect(await used()).toBe(kinds.length);
  });
});

/** The budget is an hour's of the clock: what begins at its very end would have two. */
const farFromHour = async (): Promise<void> => {
  const left = 3_600_000 - (Date.now() % 3_600_000);
  if (left < 30_000) await sleep(left);
};

describe('where the database fails for moments', () => {
  const app = testApp(SETTINGS);

  it('a mail that can not be booked in all budgets is booked in none, however often it is tried', async () => {
    const { connection, log, secrets } = app.services;
    const usage = usageModel(connection);
    const isOfServer = (filter: object | undefined) =>
      String((filter as { _id?: string } | undefined)?._id).startsWith('server mails');
    let isAway = true;
    const find = usage.findOneAndUpdate.bind(usage) as (...given: unknown[]) => never;
    const booking = vi.spyOn(usage, 'findOneAndUpdate').mockImplementation(((...given: [object]) => {
      if (!isAway || !isOfServer(given[0])) return find(...given);
      return { lean: async () => Promise.reject(new mongo.MongoNetworkTimeoutError('timed out')) };
    }) as never);
    onTestFinished(() => booking.mockRestore());
    const limits = { account: 50, server: 500, confirmations: 100 };
    const budgets = new MailBudgets(new Budgets(usage), secrets, limits, log);
    const wanted = {
      kind: 'password-reset',
      account: 'a',
      email_key: `${randomUUID()}@example.com`,
    } as const;
    for (let n = 0; n < 4; n++) await expect(budgets.take(wanted)).rejects.toThrow('timed out');
    isAway = false;
    const booked = await budgets.take(wanted);
    expect(booked).toHaveProperty('correct');
    // Neither is one that nobody sends in the end.
    for (let n = 0; n < 4; n++) {
      const again = await budgets.take(wanted);
      expect(again).toHaveProperty('correct');
      if (typeof again === 'object' && 'correct' in again) await again.correct(0);
    }
  });
});
