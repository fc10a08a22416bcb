import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { documentsWith } from '../../../test/everything.ts';
import { confirmationMails, linkOf, PATIENCE } from '../../../test/mailed-account.ts';
import { startSmtpReceiver } from '../../../test/smtp-receiver.ts';
import { deleteAccount } from './account-data.ts';

vi.setConfig({ testTimeout: 120_000 });

const smtp = await startSmtpReceiver();
const SETTINGS = { SMTP_URL: smtp.url, WEBHOOK_RETRY_DELAYS: '50ms,50ms,50ms' };
const ROUTE = '/api/v1/auth/confirmation-mail';
const PASSWORD = 'a long enough secret';

const toBe = (to: string, count: number) =>
  vi.waitFor(() => expect(confirmationMails(smtp.mails, to)).toHaveLength(count), PATIENCE);

describe('the mail that confirms an address', () => {
  const app = testApp({ ...SETTINGS, PUBLIC_URL: 'https://chat.example.com', REGISTRATION: 'open' });

  /** The path and query of the link in the newest mail, and the account. */
  const registered = async () => {
    const account = await app.account();
    const to = `${account.username}@example.com`;
    await toBe(to, 1);
    const link = linkOf(confirmationMails(smtp.mails, to)[0]);
    expect(link).toMatch(/^https:\/\/chat\.example\.com\/confirm-email\?token=[0-9a-f]{64}$/);
    return { ...account, to, path: link.slice('https://chat.example.com'.length) };
  };
  const confirmedAt = async (username: string) =>
    (await app.services.accounts.byUsername(username))?.email_confirmed_at;

  it('leads to a page whose button confirms it, once, and which programs may open as often as they like', async () => {
    const { username, path } = await registered();
    expect(await confirmedAt(username)).toBeNull();
    for (const method of ['GET', 'HEAD', 'GET']) {
      const page = await app.request(method, path);
      expect(page.status).toBe(200);
      const { 'content-security-policy': csp = '', ...headers } = page.headers;
      expect(csp).toMatch(
        /^default-src 'none'; style-src 'sha256-[^' ]+'; form-action 'self'; base-uri 'none'/,
      );
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      if (method === 'GET') expect(page.text).toContain('<form method="post"><button>');
      expect(page.text).not.toMatch(/<script|https?:/);
    }
    expect(await confirmedAt(username)).toBeNull();
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '' };
    const done = await app.request('POST', path, form);
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('is confirmed')]);
    expect(await confirmedAt(username)).toBeInstanceOf(Date);
    for (const method of ['GET', 'POST']) {
      const again = await app.request(method, path);
      expect([again.status, again.text]).toEqual([404, expect.stringContaining('not good any more')]);
    }
  });

  it('holds the only copy of its secret', async () => {
    const { path } = await registered();
    expect(await documentsWith(app.services, path.split('=')[1] ?? '')).toEqual([]);
  });

  it('says nothing that whoever registered has written', async () => {
    const { to, username } = await registered();
    const [mail] = confirmationMails(smtp.mails, to);
    expect(mail?.headers.subject).toBe('Confirm your e-mail address');
    expect(mail?.body).not.toContain(username);
  });

  it('is no good when it has expired, was changed, or its account has another address or is gone', async () => {
    const { emailConfirmations, accounts } = app.services.models;
    const status = async (path: string) => (await app.request('POST', path)).status;
    const [old, moved, gone] = [await registered(), await registered(), await registered()];
    await emailConfirmations.updateOne({ account: old.id }, { $set: { expires_at: new Date() } });
    expect(await status(old.path)).toBe(404);
    await accounts.updateOne({ _id: moved.id }, { $set: { email_key: `new-${moved.to}` } });
    expect(await status(moved.path)).toBe(404);
    expect(await confirmedAt(moved.username)).toBeNull();
    await deleteAccount(app.services, gone.id);
    expect(await emailConfirmations.countDocuments({ account: gone.id })).toBe(0);
    for (const wrong of [gone.path, '/confirm-email', '/confirm-email?token[$gt]=', `${moved.path}0`]) {
      expect(await status(wrong)).toBe(404);
    }
  });

  it('is the same in each attempt', async () => {
    let refusals = 2;
    smtp.answer = () => (refusals-- > 0 ? 451 : undefined);
    onTestFinished(() => {
      smtp.answer = () => undefined;
    });
    const { to, path } = await registered();
    const tried = confirmationMails(smtp.tried, to);
    expect([tried.length, new Set(tried.map(({ raw }) => raw)).size]).toEqual([3, 1]);
    expect((await app.request('POST', path)).status).toBe(200);
  });

  it('is sent again when it is asked for, three times a day to one mailbox, with the same answer each time', async () => {
    const { token, username, to, path } = await registered();
    const answers = [await app.request('POST', ROUTE, { token })];
    await toBe(to, 2);
    expect((await app.request('POST', path)).status).toBe(200);
    answers.push(await app.request('POST', ROUTE, { token }));
    expect(await confirmedAt(username)).toBeInstanceOf(Date);

    const other = await registered();
    for (const count of [2, 3, 3, 3]) {
      answers.push(await app.request('POST', ROUTE, { token: other.token }));
      await toBe(other.to, count);
    }
    const tagged = other.to.replace('@', '+tag@');
    const username2 = `${other.username}-2`;
    const body = { username: username2, email: tagged, password: PASSWORD, password2: PASSWORD };
    const { status, json } = await app.request('POST', '/api/v1/auth/register', { body });
    expect([status, json]).toEqual([201, { message: 'User registered successfully.' }]);
    const { outgoingMails } = app.services.models;
    const account = await app.services.accounts.byUsername(username2);
    await vi.waitFor(async () => {
      const waiting = { account: { $in: [account?._id ?? '', other.id] } };
      expect(await outgoingMails.countDocuments(waiting)).toBe(0);
    }, PATIENCE);
    expect(confirmationMails(smtp.tried, tagged)).toEqual([]);
    expect(confirmationMails(smtp.tried, other.to)).toHaveLength(3);
    expect(new Set(answers.map((one) => `${one.status} ${one.text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(202);
    expect((await app.request('POST', ROUTE)).status).toBe(401);
  });

  it('counts for its mailbox when it goes out, and not when it is asked for', async () => {
    let answer = (_?: undefined) => {};
    const isAnswered = new Promise<undefined>((resolve) => {
      answer = resolve;
    });
    smtp.answer = () => isAnswered;
    onTestFinished(() => {
      smtp.answer = () => undefined;
    });
    const { token, username } = await app.account();
    const to = `${username}@example.com`;
    const ask = () => app.request('POST', ROUTE, { token });
    await vi.waitFor(() => expect(confirmationMails(smtp.tried, to)).toHaveLength(1), PATIENCE);
    // While one is under way, all who ask get one more.
    for (let n = 0; n < 3; n++) await ask();
    answer();
    await toBe(to, 2);
    await ask();
    await toBe(to, 3);
  });
});

describe('confirmation mails of the whole server', () => {
  const app = testApp({ ...SETTINGS, CONFIRMATION_MAILS_PER_HOUR: '2' });

  it('have a limit per hour; the others wait for the next', async () => {
    const others = [await app.account(), await app.account(), await app.account()];
    const { outgoingMails } = app.services.models;
    const ids = others.map(({ id }) => id);
    const sent = () =>
      others.filter(({ username }) => confirmationMails(smtp.mails, `${username}@example.com`).length > 0);
    await vi.waitFor(async () => {
      expect(sent()).toHaveLength(2);
      const [waiting, ...more] = await outgoingMails.find({ account: { $in: ids } }).lean();
      expect(more).toEqual([]);
      expect(waiting?.due_at?.getTime()).toBeGreaterThanOrEqual(
        (Math.floor(Date.now() / 3_600_000) + 1) * 3_600_000,
      );
    }, PATIENCE);
    await app.services.models.usage.deleteMany({});
    await outgoingMails.updateMany({}, { $set: { due_at: new Date() } });
    await vi.waitFor(() => expect(sent()).toHaveLength(3), PATIENCE);
  });
});

describe('asking for confirmation mails', () => {
  const app = testApp({ ...SETTINGS, RATE_LIMIT: 'on', RATE_LIMIT_CONFIRMATION_MAIL: '2' });

  it('is limited for an account', async () => {
    const { token } = await app.account();
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) statuses.push((await app.request('POST', ROUTE, { token })).status);
    expect(statuses).toEqual([202, 202, 429]);
  });
});

describe('without SMTP_URL', () => {
  const app = testApp();

  it('an account is registered as ever, and nobody is blocked', async () => {
    const { token, username } = await app.account();
    expect((await app.services.accounts.byUsername(username))?.email_confirmed_at).toBeNull();
    expect((await app.request('POST', ROUTE, { token })).status).toBe(202);
    expect((await app.request('GET', '/api/v1/rooms/', { token })).status).toBe(200);
    expect(await app.services.models.outgoingMails.countDocuments({})).toBe(0);
  });

  it('an account that the operator makes is confirmed at once', async () => {
    const given = { username: 'by-operator', email: 'by-operator@example.com', password: PASSWORD };
    const made = await app.services.accounts.create({ ...given, password2: PASSWORD });
    expect(
      (await app.services.models.accounts.findOne({ _id: made._id }).lean())?.email_confirmed_at,
    ).toBeInstanceOf(Date);
  });
});
