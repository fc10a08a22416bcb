import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from './mailed-account.ts';
import { PASSWORD } from './members.ts';
import { connect } from './realtime-client.ts';
import { caller, owner } from './rest.ts';
import { sharedSettings, startServerProcess } from './server-process.ts';
import { signInBrowser } from './session-browser.ts';
import { type ReceivedMail, startSmtpReceiver } from './smtp-receiver.ts';

/** New passwords by mail, with a real SMTP server. */

const ASK = '/api/v1/auth/password-reset';
const CONFIRM = `${ASK}/confirm`;
const NEXT = 'quite another secret';
const chosen = (token: string, password = NEXT) => ({ token, password, password2: password });

const resetMails = (mails: readonly ReceivedMail[], to: string) =>
  mails.filter((mail) => mail.to.includes(to) && mail.headers['message-id']?.startsWith('<password-reset.'));

const linkIn = ({ body }: ReceivedMail): string => /^https?:\/\/\S+$/m.exec(body)?.[0] ?? '';

/** Two servers on one database, that mail. */
const start = async (env: Record<string, string> = {}) => {
  const smtp = await startSmtpReceiver();
  onTestFinished(() => smtp.close());
  const settings = { ...(await sharedSettings()), SMTP_URL: smtp.url, ...env };
  const [one, other] = [await startServerProcess(settings), await startServerProcess(settings)];
  /** Asks for a mail to an address, and waits for it. */
  const mailTo = async (email: string, url = one.url): Promise<ReceivedMail> => {
    const before = resetMails(smtp.mails, email).length;
    expect((await caller(url)('POST', ASK, { email })).status).toBe(202);
    return vi.waitFor(() => {
      const mail = resetMails(smtp.mails, email)[before];
      if (!mail) throw new Error('no mail has come');
      return mail;
    }, PATIENCE);
  };
  return { smtp, one, other, mailTo };
};

const join = async (url: string, rest: ReturnType<typeof caller>, username: string) => {
  const invited = await rest('POST', '/api/v1/members/', { email: `${username}@example.com` });
  const token = invited.json.invite_url.split('#token=')[1];
  const accepted = { token, username, password: PASSWORD, password2: PASSWORD };
  expect((await caller(url)('POST', '/api/v1/auth/accept-invitation', accepted)).status).toBe(201);
};

describe('a password by mail', () => {
  it.each(['ada', 'grace'])(
    'is set once by the link, for %s, and ends sessions and their sockets',
    async (username) => {
      const { one, other, mailTo } = await start();
      const { rest, token: ownersToken } = await owner(one.url);
      if (username === 'grace') await join(one.url, rest, 'grace');
      const browser = await signInBrowser(one.url, username);
      const sockets = [await browser.connect(one.url), await browser.connect(other.url)];
      const program = await connect(other.url, { token: ownersToken });

      const mail = await mailTo(`${username}@example.com`, other.url);
      expect(mail.headers.subject).toBe('Set a new password');
      const [page, token = ''] = linkIn(mail).split('#token=');
      expect(page).toBe(`${other.url}/console/reset`);
      expect(token).toMatch(/^[0-9a-f]{64}$/);
      const call = caller(one.url);
      const weak = await call('POST', CONFIRM, chosen(token, 'password1'));
      expect([weak.status, weak.json]).toEqual([400, { password: ['This password is too common.'] }]);
      const results = await Promise.all(
        [one, other].map(({ url }) => caller(url)('POST', CONFIRM, chosen(token))),
      );
      expect(results.map(({ status }) => status).sort()).toEqual([204, 400]);
      expect(results.find(({ status }) => status === 400)?.json).toEqual({
        token: ['This link is not good, has run out or was used.'],
      });
      for (const { closed } of sockets) expect((await closed).code).toBe(4401);
      expect((await browser.ask(other.url, 'GET', '/api/v1/auth/session')).status).toBe(401);
      program.send({ type: 'ping' });
      await program.find(({ type }) => type === 'pong');
      const signIn = (password: string) =>
        call('POST', '/api/v1/auth/session', { username, password }).then(({ status }) => status);
      expect([await signIn(PASSWORD), await signIn(NEXT)]).toEqual([400, 200]);

      const { json: trail } = await rest('GET', '/api/v1/audit/?action=confirmPasswordReset');
      expect(trail).toMatchObject([
        {
          actor: { kind: 'member', name: username },
          object: { label: username },
          changes: [{ field: 'password' }],
        },
      ]);
      // The secret stands in the mail, and nowhere else.
      for (const { stdout, stderr } of [one, other]) expect(stdout() + stderr()).not.toContain(token);
    },
  );

  it('is set by a link once, also where the mail comes again whose answer was lost', async () => {
    const { smtp, one } = await start({ WEBHOOK_RETRY_DELAYS: Array(30).fill('1s').join() });
    const { username, to } = { username: 'ada', to: 'ada@example.com' };
    await owner(one.url, username);
    const call = caller(one.url);
    let isUsed = false;
    smtp.answer = (mail) => (isUsed || resetMails([mail], to).length === 0 ? undefined : 451);
    await call('POST', ASK, { email: to });
    const [first] = await vi.waitFor(() => {
      const mails = resetMails(smtp.tried, to) as [ReceivedMail];
      if (!mails[0]) throw new Error('no mail has come');
      return mails;
    }, PATIENCE);
    const tokenIn = (mail: ReceivedMail) => linkIn(mail).split('#token=')[1] ?? '';
    expect((await call('POST', CONFIRM, chosen(tokenIn(first)))).status).toBe(204);
    isUsed = true;
    // What is repeated was of the password before: the next mail is of the next request.
    await call('POST', ASK, { email: to });
    await vi.waitFor(() => expect(resetMails(smtp.mails, to)).toHaveLength(1), PATIENCE);
    const again = await call('POST', CONFIRM, chosen(tokenIn(first), 'a third one that is good'));
    expect(again.status).toBe(400);
    expect((await call('POST', '/api/v1/auth/session', { username, password: NEXT })).status).toBe(200);
  });

  it('is asked for three times an hour at most, by all servers together, and answered alike', async () => {
    const { smtp, one, other, mailTo } = await start();
    await owner(one.url);
    for (const { url } of [one, other, one]) await mailTo('ada@example.com', url);
    const answers = [];
    for (const [url, email] of [
      [one.url, 'ada@example.com'],
      [other.url, 'ADA@example.com'],
      [other.url, 'ada+1@example.com'],
      [one.url, 'nobody@example.com'],
    ] as const) {
      answers.push(await caller(url)('POST', ASK, { email }));
    }
    const [first] = answers;
    expect(first).toEqual({
      status: 202,
      json: { message: 'If a member has this address, a mail with a link is on its way.' },
    });
    expect(answers).toEqual(answers.map(() => first));
    // One that is asked for now goes out after those that were.
    await caller(one.url)('POST', '/api/v1/auth/register', {
      username: 'grace',
      email: 'grace@example.com',
      password: PASSWORD,
      password2: PASSWORD,
    });
    await mailTo('grace@example.com');
    expect(resetMails(smtp.tried, 'ada@example.com')).toHaveLength(3);
  });

  it('comes however often it was asked for by addresses of the same mailbox that nobody has', async () => {
    const { one, other, mailTo } = await start();
    await owner(one.url);
    for (let n = 0; n < 4; n++) {
      const { status } = await caller(other.url)('POST', ASK, { email: `ada+${n}@example.com` });
      expect(status).toBe(202);
    }
    await mailTo('ada@example.com');
  });

  it('is asked for by an address 20 times an hour, on whichever server', async () => {
    const { one, other } = await start({ RATE_LIMIT_PASSWORD_RESET: '4' });
    const ask = async (n: number) =>
      (await caller((n % 2 ? one : other).url)('POST', ASK, { email: `nobody-${n}@example.com` })).status;
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push(await ask(n));
    expect(statuses).toEqual([202, 202, 202, 202, 429, 429]);
  });
});
