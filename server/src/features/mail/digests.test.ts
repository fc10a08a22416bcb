import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { keywordMails, mailedAccount, PATIENCE } from '../../../test/mailed-account.ts';
import { startSmtpReceiver } from '../../../test/smtp-receiver.ts';

vi.setConfig({ testTimeout: 120_000 });

const smtp = await startSmtpReceiver();
const SETTINGS = { SMTP_URL: smtp.url, WEBHOOK_RETRY_DELAYS: '50ms,50ms,50ms' };

const mailsTo = (to: string) => keywordMails(smtp.mails, to);

const answering = (answer: typeof smtp.answer) => {
  smtp.answer = answer;
  onTestFinished(() => {
    smtp.answer = () => undefined;
  });
};

const LISTED = /^> (.*)$/gm;
const listedIn = (body = ''): (string | undefined)[] => [...body.matchAll(LISTED)].map(([, text]) => text);

describe('notifications of an account within the window', () => {
  const app = testApp({ ...SETTINGS, MAIL_DIGEST_WINDOW: '1h' });
  const digestOf = (id: string) => ({ _id: `${id} digest` });
  const outgoing = (id: string) => app.services.models.outgoingMails.findOne(digestOf(id)).lean();
  const states = async (id: string) =>
    (await app.services.models.mails.find({ account: id }).lean()).map(({ state }) => state);

  /** An account that has had its first mail, and whose next one is due in an hour. */
  const mailed = async () => {
    const account = await mailedAccount(app);
    await account.ask('refund 0');
    await vi.waitFor(async () => {
      expect(mailsTo(account.to)).toHaveLength(1);
      expect((await outgoing(account.id))?.last_at).toBeDefined();
    }, PATIENCE);
    return account;
  };

  /** Lets the hour be over. */
  const passWindow = async (id: string) => {
    await app.services.models.outgoingMails.updateOne(digestOf(id), { $set: { due_at: new Date() } });
    app.services.mailer?.look();
  };

  it('come as one mail that lists the first 50 and counts the others, and all of them are sent', async () => {
    const { id, to, ask, raised } = await mailed();
    const before = Date.now();
    for (let n = 1; n <= 60; n++) await ask(`refund ${n}`);
    await raised(61);
    await vi.waitFor(async () => expect(await states(id)).toHaveLength(61), PATIENCE);
    expect(((await outgoing(id))?.due_at?.getTime() ?? 0) - before).toBeGreaterThan(3_000_000);
    expect(mailsTo(to)).toHaveLength(1);

    await passWindow(id);
    await vi.waitFor(() => expect(mailsTo(to)).toHaveLength(2), PATIENCE);
    const mail = mailsTo(to)[1];
    expect(mail?.headers.subject).toBe('60 messages mentioned your keywords');
    const listed = listedIn(mail?.body);
    const asked = Array.from({ length: 60 }, (_, n) => `refund ${n + 1}`);
    expect([listed.length, new Set(listed).size]).toEqual([50, 50]);
    expect(asked).toEqual(expect.arrayContaining(listed));
    expect(mail?.body).toContain('And 10 more:');
    await vi.waitFor(async () => {
      expect(new Set(await states(id))).toEqual(new Set(['sent']));
      const sentAt = (await raised(61)).map(({ sent_at }: { sent_at: string | null }) => sent_at);
      expect(sentAt).not.toContain(null);
    }, PATIENCE);
    await vi.waitFor(async () => expect((await outgoing(id))?.batch).toBeUndefined(), PATIENCE);
  });

  it('are fixed by the first attempt: each further one sends the same bytes, and later ones wait', async () => {
    const { id, to, ask, raised } = await mailed();
    await ask('refund 1');
    await ask('refund 2');
    await raised(3);
    await vi.waitFor(async () => expect(await states(id)).toHaveLength(3), PATIENCE);
    let tries = 0;
    answering(async ({ to: [address] }) => {
      if (address !== to || ++tries > 3) return undefined;
      await ask(`refund later ${tries}`);
      await vi.waitFor(async () => expect(await states(id)).toHaveLength(3 + tries), PATIENCE);
      return 451;
    });
    await passWindow(id);
    await vi.waitFor(() => expect(mailsTo(to)).toHaveLength(2), PATIENCE);
    const tried = keywordMails(smtp.tried, to).slice(1);
    expect(tried).toHaveLength(4);
    expect(new Set(tried.map(({ raw }) => raw)).size).toBe(1);
    expect(listedIn(tried[0]?.body)).toEqual(['refund 1', 'refund 2']);
    // They come with the next mail.
    await vi.waitFor(async () => expect((await outgoing(id))?.batch).toBeUndefined(), PATIENCE);
    await passWindow(id);
    await vi.waitFor(() => expect(mailsTo(to)).toHaveLength(3), PATIENCE);
    expect(listedIn(mailsTo(to)[2]?.body)).toEqual([1, 2, 3].map((n) => `refund later ${n}`));
  });

  it('are left out when their room is deleted, and there is no mail without any', async () => {
    const { id, to, token, room, ask, raised } = await mailed();
    await ask('refund 1');
    await ask('refund 2');
    await raised(3);
    await vi.waitFor(async () => expect(await states(id)).toHaveLength(3), PATIENCE);
    expect((await app.request('DELETE', `/api/v1/rooms/${room.label}/`, { token })).status).toBe(204);
    await vi.waitFor(
      async () => expect(await app.services.models.notifications.countDocuments({ account: id })).toBe(0),
      PATIENCE,
    );
    await passWindow(id);
    await vi.waitFor(async () => expect(await states(id)).toEqual(['sent']), PATIENCE);
    await vi.waitFor(async () => expect((await outgoing(id))?.due_at).toBeUndefined(), PATIENCE);
    expect(mailsTo(to)).toHaveLength(1);
  });
});

describe('the window', () => {
  const app = testApp({ ...SETTINGS, MAIL_DIGEST_WINDOW: '700ms' });

  it('begins with a mail, and ends by itself', async () => {
    const arrivals: number[] = [];
    const account = await mailedAccount(app);
    answering((mail) => {
      if (keywordMails([mail], account.to).length > 0) arrivals.push(Date.now());
      return undefined;
    });
    for (let n = 1; n <= 3; n++) {
      await account.ask(`refund ${n}`);
      await vi.waitFor(() => expect(arrivals.length).toBeGreaterThanOrEqual(n), PATIENCE);
    }
    expect((arrivals[1] ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThanOrEqual(700);
    expect((arrivals[2] ?? 0) - (arrivals[1] ?? 0)).toBeGreaterThanOrEqual(700);
    // A mail of one shows the conversation, too, from its second quotation on.
    const listed = mailsTo(account.to).map(({ body }) => listedIn(body)[0]);
    expect(listed).toEqual(['refund 1', 'refund 2', 'refund 3']);
  });
});

describe('an address that nobody has confirmed', () => {
  const app = testApp({ ...SETTINGS, MAIL_DIGEST_WINDOW: '1h' });

  it('gets no mail, and one of all that waited once it is confirmed', async () => {
    const { id, username, to, ask, raised } = await mailedAccount(app, false);
    const { outgoingMails, accounts, mails } = app.services.models;
    const due = async () => (await outgoingMails.findOne({ _id: `${id} digest` }).lean())?.due_at;
    for (const n of [1, 2]) {
      await ask(`refund ${n}`);
      await raised(n);
      await vi.waitFor(async () => expect(await mails.countDocuments({ account: id })).toBe(n), PATIENCE);
      await vi.waitFor(async () => expect(await due()).toBeUndefined(), PATIENCE);
    }
    expect(keywordMails(smtp.tried, to)).toEqual([]);
    const account = await app.services.accounts.byUsername(username);
    if (account) await app.services.confirmations.confirmAccount(account);
    await vi.waitFor(() => expect(mailsTo(to)).toHaveLength(1), PATIENCE);
    expect(listedIn(mailsTo(to)[0]?.body)).toEqual(['refund 1', 'refund 2']);
    // An account of before counts as confirmed.
    const old = await mailedAccount(app, false);
    await accounts.updateOne({ _id: old.id }, { $unset: { email_confirmed_at: 1 } });
    await old.ask('refund');
    await vi.waitFor(() => expect(mailsTo(old.to)).toHaveLength(1), PATIENCE);
  });
});
