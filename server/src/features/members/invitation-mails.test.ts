import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { documentsWith } from '../../../test/everything.ts';
import { linkIn, testMemberMails, tokenIn, WITHOUT_SMTP } from '../../../test/member-mails.ts';
import { PASSWORD, testMembers } from '../../../test/members.ts';

const { app, smtp, mailsTo, mailTo, confirmedAccount, allMailed } = await testMemberMails();
const { member } = testMembers(app);

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
  const silent = testApp(WITHOUT_SMTP);

  it('all is answered, and nothing waits', async () => {
    const { token, username } = await silent.account();
    const asking = { body: { email: `${username}@example.com` } };
    expect((await silent.request('POST', '/api/v1/auth/password-reset', asking)).status).toBe(202);
    const invited = await silent.request('POST', '/api/v1/members/', {
      token,
      body: { email: 'a@example.com' },
    });
    expect(invited.json).toMatchObject({ is_mailed: false, invite_url: expect.stringContaining('#token=') });
    expect(await silent.services.models.outgoingMails.countDocuments()).toBe(0);
  });
});
