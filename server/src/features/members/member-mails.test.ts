import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent } from 'mongodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { documentsWith } from '../../../test/everything.ts';
import { PATIENCE } from '../../../test/mailed-account.ts';
import { PASSWORD, testMembers } from '../../../test/members.ts';
import { type ReceivedMail, startSmtpReceiver } from '../../../test/smtp-receiver.ts';

/** Mails to members: invitations, and links to a new password. */

const PUBLIC_URL = 'https://chat.example.com';
const ASK = '/api/v1/auth/password-reset';
const CONFIRM = `${ASK}/confirm`;

const smtp = await startSmtpReceiver();
const app = testApp({
  SMTP_URL: smtp.url,
  PUBLIC_URL,
  REGISTRATION: 'open',
  WEBHOOK_RETRY_DELAYS: '50ms,50ms,50ms',
});
const { member } = testMembers(app);

const linkIn = ({ body }: ReceivedMail): string => /^https?:\/\/\S+#token=\S+$/m.exec(body)?.[0] ?? '';
const tokenIn = (mail: ReceivedMail): string => linkIn(mail).split('#token=')[1] ?? '';
const mailsTo = (kind: string, to: string, mails = smtp.mails): ReceivedMail[] =>
  mails.filter((mail) => mail.to.includes(to) && mail.headers['message-id']?.startsWith(`<${kind}.`));

/** The newest mail of a kind to an address, once `count` have come. */
const mailTo = (kind: string, to: string, count = 1): Promise<ReceivedMail> =>
  vi.waitFor(() => {
    const mail = mailsTo(kind, to)[count - 1];
    if (!mail) throw new Error('no mail has come');
    return mail;
  }, PATIENCE);

const ask = (email: string) => app.request('POST', ASK, { body: { email } });
const confirm = (token: string, password = 'quite another secret') =>
  app.request('POST', CONFIRM, { body: { token, password, password2: password } });

/** An account whose owner's address is confirmed. */
const confirmedAccount = async () => {
  const account = await app.account();
  const stored = await app.services.accounts.byUsername(account.username);
  if (stored) await app.services.confirmations.confirmAccount(stored);
  return { ...account, email: `${account.username}@example.com` };
};

/** Somebody with a link that was mailed. */
const asked = async () => {
  const account = await confirmedAccount();
  await ask(account.email);
  return { ...account, link: tokenIn(await mailTo('password-reset', account.email)) };
};

/** Waits until nothing is to be mailed. */
const allMailed = () =>
  vi.waitFor(async () => {
    const waiting = await app.services.models.outgoingMails.countDocuments({ due_at: { $exists: true } });
    if (waiting > 0) throw new Error(`${waiting} mails wait`);
  }, PATIENCE);

describe('the link to a new password', () => {
  it('stands in the mail alone', async () => {
    const { email, username, link } = await asked();
    const mail = await mailTo('password-reset', email);
    expect(linkIn(mail)).toBe(`${PUBLIC_URL}/console/reset#token=${link}`);
    expect(mail.body).toContain(`for the member ${username} of`);
    expect(await documentsWith(app.services, link)).toEqual([]);
  });

  it('comes without a word of whoever registered a stranger, or accepted an invitation in its place', async () => {
    const stranger = await app.account();
    const { token } = await confirmedAccount();
    const invited = await member(token, 'operator');
    const { json: hers } = await app.request('GET', `/api/v1/members/${invited.uuid}/`, { token });
    for (const { username, email } of [
      { username: stranger.username, email: `${stranger.username}@example.com` },
      hers,
    ]) {
      await ask(email);
      const { body } = await mailTo('password-reset', email);
      expect(body).toContain('for the member with this address');
      expect(body).not.toContain(username);
    }
  });

  it('is no good when it has expired, was changed, or its member has another address or is gone', async () => {
    const { passwordResets, accounts } = app.services.models;
    const [old, moved, gone] = [await asked(), await asked(), await asked()];
    const hers = await member(gone.token, 'operator');
    const { json } = await app.request('GET', `/api/v1/members/${hers.uuid}/`, { token: gone.token });
    await ask(json.email);
    const link = tokenIn(await mailTo('password-reset', json.email));
    await passwordResets.updateOne({ account: old.id }, { $set: { expires_at: new Date() } });
    await accounts.updateOne({ _id: moved.id }, { $set: { email_key: `new-${moved.email}` } });
    await app.request('DELETE', `/api/v1/members/${hers.uuid}/`, { token: gone.token });
    for (const token of [old.link, moved.link, link, `${gone.link}0`, 'x', gone.link.toUpperCase()]) {
      const { status, json: fields } = await confirm(token);
      expect([status, Object.keys(fields)]).toEqual([400, ['token']]);
    }
    expect((await confirm(gone.link)).status).toBe(204);
  });

  it('takes the ones before with it, and keeps the second factor', async () => {
    const { email, username, id, link } = await asked();
    await ask(email);
    const newer = tokenIn(await mailTo('password-reset', email, 2));
    await app.services.models.accounts.updateOne({ _id: id }, { $set: { totp_sealed: 'sealed' } });
    expect([(await confirm(newer)).status, (await confirm(link)).status]).toEqual([204, 400]);
    const body = { username, password: 'quite another secret' };
    const { status, json } = await app.request('POST', '/api/v1/auth/session', { body });
    expect([status, json]).toEqual([400, { code: ['A code is required.'] }]);
  });

  it('is the same in each attempt', async () => {
    let refusals = 2;
    smtp.answer = (mail) =>
      mailsTo('password-reset', mail.to[0] ?? '', [mail]).length > 0 && refusals-- > 0 ? 451 : undefined;
    onTestFinished(() => {
      smtp.answer = () => undefined;
    });
    const { email, link } = await asked();
    const tried = mailsTo('password-reset', email, smtp.tried);
    expect(tried.map(tokenIn)).toEqual([link, link, link]);
  });

  it.each(['not', 'once more'])(
    'comes no second time where it was used before the mail server has answered, and is asked for %s',
    async (again) => {
      const { email } = await confirmedAccount();
      const used: number[] = [];
      smtp.answer = async (mail) => {
        if (mailsTo('password-reset', email, [mail]).length === 0 || used.length > 0) return undefined;
        used.push((await confirm(tokenIn(mail))).status);
        if (again === 'once more') await ask(email);
        return 451;
      };
      onTestFinished(() => {
        smtp.answer = () => undefined;
      });
      await ask(email);
      await vi.waitFor(() => expect(used).toEqual([204]), PATIENCE);
      await allMailed();
      const [first, ...more] = mailsTo('password-reset', email, smtp.tried) as [ReceivedMail];
      expect(more).toHaveLength(again === 'not' ? 0 : 1);
      if (again === 'not') await ask(email);
      const next = await mailTo('password-reset', email);
      expect(next.headers['message-id']).not.toBe(first.headers['message-id']);
      expect([(await confirm(tokenIn(first))).status, (await confirm(tokenIn(next))).status]).toEqual([
        400, 204,
      ]);
    },
  );

  it('goes to nobody who signs in at a provider only', async () => {
    const { id, email } = await confirmedAccount();
    await app.services.models.accounts.updateOne({ _id: id }, { $unset: { password: 1 } });
    expect((await ask(email)).status).toBe(202);
    await allMailed();
    expect(mailsTo('password-reset', email, smtp.tried)).toEqual([]);
  });

  it('is asked for alike whether or not somebody has the address: by the same commands to the database', async () => {
    const { email } = await confirmedAccount();
    const client = app.services.connection.getClient();
    /** What a request sends, and the mailer after it does not. */
    const commandsOf = async (address: string): Promise<string[]> => {
      const seen: string[] = [];
      const listen = ({ command }: CommandStartedEvent) => {
        const text = JSON.stringify(command);
        if (
          /email_key|password-reset/.test(text) &&
          !command.delete &&
          command.update !== 'passwordresets' &&
          command.findAndModify !== 'usages' &&
          !/claim|batch/.test(text)
        ) {
          seen.push(`${Object.keys(command)[0]} ${Object.values(command)[0]}`);
        }
      };
      client.on('commandStarted', listen);
      await ask(address);
      client.off('commandStarted', listen);
      return seen;
    };
    const known = await commandsOf(email);
    expect(known).toEqual([
      'find accounts',
      'find members',
      'find accounts',
      'findAndModify outgoingmails',
      'update outgoingmails',
    ]);
    expect(await commandsOf(`${randomUUID()}@example.com`)).toEqual(known);
    // Also where it waits already, and where the mailbox has had as many as it gets.
    for (let n = 0; n < 5; n++) {
      expect(await commandsOf(email)).toEqual(known);
      if (n % 2) await allMailed();
    }
    await allMailed();
    // What was put down for nobody is gone.
    expect(await app.services.models.outgoingMails.countDocuments({ account: 'nobody' })).toBe(0);
  });
});

describe('an invitation', () => {
  const invite = (token: string, email: string) =>
    app.request('POST', '/api/v1/members/', { token, body: { email, name: 'Buy at shop.example' } });

  it('is mailed with its link, which the answer has, too', async () => {
    const { token, email } = await confirmedAccount();
    const to = `${randomUUID()}@example.com`;
    const { status, json } = await invite(token, to);
    expect([status, json.is_mailed]).toEqual([201, true]);
    const mail = await mailTo('member-invitation', to);
    expect(linkIn(mail)).toBe(json.invite_url);
    expect(mail.headers.subject).toBe('You are invited');
    expect(mail.body).toContain(`the account of ${email}`);
    // Nothing that whoever invites has written.
    expect(mail.raw + mail.body).not.toContain('shop.example');
    expect(await documentsWith(app.services, tokenIn(mail))).toEqual([]);
    const username = `new-${randomUUID().slice(0, 8)}`;
    const body = { token: tokenIn(mail), username, password: PASSWORD, password2: PASSWORD };
    expect((await app.request('POST', '/api/v1/auth/accept-invitation', { body })).status).toBe(201);
  });

  it('is not mailed before the address of the account is confirmed', async () => {
    const { token } = await app.account();
    const to = `${randomUUID()}@example.com`;
    const { status, json } = await invite(token, to);
    expect([status, json.is_mailed]).toEqual([201, false]);
    await allMailed();
    expect(mailsTo('member-invitation', to, smtp.tried)).toEqual([]);
  });

  it.each([
    ['with what follows "+"', (name: string, n: number) => `${name}+${n}@example.com`],
    ['with dots at Gmail', (name: string, n: number) => `${name.slice(0, n)}.${name.slice(n)}@gmail.com`],
    ['at both names of Gmail', (name: string, n: number) => `${name}@${n % 2 ? 'gmail' : 'googlemail'}.com`],
  ])('is mailed three times a day to one mailbox, from whichever accounts, %s', async (_, spelling) => {
    const mailbox = randomUUID();
    const mailed = [];
    for (const n of [1, 2, 3, 4]) {
      const { token } = await confirmedAccount();
      mailed.push((await invite(token, spelling(mailbox, n))).json.is_mailed);
    }
    expect(mailed).toEqual([true, true, true, false]);
  });

  it('is mailed to each of the mailboxes whose names differ by dots, elsewhere', async () => {
    const { token } = await confirmedAccount();
    const name = randomUUID();
    for (const n of [1, 2, 3, 4]) {
      const invited = await invite(token, `${name.slice(0, n)}.${name.slice(n)}@example.com`);
      expect(invited.json.is_mailed).toBe(true);
    }
  });

  it.each([
    [
      'is withdrawn',
      (uuid: string, token: string) => app.request('DELETE', `/api/v1/members/${uuid}/`, { token }),
    ],
    [
      'has run out, as in a long outage of the mail server',
      (uuid: string) =>
        app.services.models.members.updateOne({ _id: uuid }, { invitation_expires_at: new Date() }),
    ],
    [
      'is of an account that is being deleted',
      async (uuid: string) => {
        const { accounts, members } = app.services.models;
        const invited = await members.findOne({ _id: uuid }).lean();
        await accounts.updateOne({ _id: invited?.account }, { $set: { deleted_at: new Date() } });
      },
    ],
  ])('is not mailed any more once it %s', async (_, end) => {
    const { token } = await confirmedAccount();
    const to = `${randomUUID()}@example.com`;
    let refused = () => {};
    const isRefused = new Promise<void>((resolve) => {
      refused = resolve;
    });
    smtp.answer = async (mail) => {
      if (!mail.to.includes(to)) return undefined;
      refused();
      await end(uuid, token);
      return 451;
    };
    onTestFinished(() => {
      smtp.answer = () => undefined;
    });
    let uuid = '';
    ({ uuid } = (await invite(token, to)).json);
    await isRefused;
    await allMailed();
    expect(mailsTo('member-invitation', to)).toEqual([]);
    expect(mailsTo('member-invitation', to, smtp.tried)).toHaveLength(1);
  });
});

it('an invitation that waits names no address that is not confirmed, as of who has come into the place of who had one', async () => {
  const { token, id, email } = await confirmedAccount();
  const heir = await member(token, 'owner');
  const { json: hers } = await app.request('GET', '/api/v1/members/me/', { token: heir.token });
  const to = `${randomUUID()}@example.com`;
  let isAway = true;
  smtp.answer = async (mail) => {
    if (!isAway || !mail.to.includes(to)) return undefined;
    isAway = false;
    await app.request('DELETE', `/api/v1/members/${id}/`, { token: heir.token });
    return 451;
  };
  onTestFinished(() => {
    smtp.answer = () => undefined;
  });
  const invitation = { email: to, name: '' };
  const { json } = await app.request('POST', '/api/v1/members/', { token: heir.token, body: invitation });
  const mail = await mailTo('member-invitation', to);
  expect(linkIn(mail)).toBe(json.invite_url);
  expect(mail.body).toContain('You are invited to work with an account in the chat at');
  expect(mail.body).not.toContain(email);
  expect(mail.body).not.toContain(hers.email);
});

describe('without SMTP_URL', () => {
  const silent = testApp({ PUBLIC_URL, REGISTRATION: 'open' });

  it('all is answered, and nothing waits', async () => {
    const { token, username } = await silent.account();
    const asking = { body: { email: `${username}@example.com` } };
    expect((await silent.request('POST', ASK, asking)).status).toBe(202);
    const invited = await silent.request('POST', '/api/v1/members/', {
      token,
      body: { email: 'a@example.com' },
    });
    expect(invited.json).toMatchObject({ is_mailed: false, invite_url: expect.stringContaining('#token=') });
    expect(await silent.services.models.outgoingMails.countDocuments()).toBe(0);
  });
});
