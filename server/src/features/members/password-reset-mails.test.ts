import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent } from 'mongodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { documentsWith } from '../../../test/everything.ts';
import { PATIENCE } from '../../../test/mailed-account.ts';
import { linkIn, testMemberMails, tokenIn } from '../../../test/member-mails.ts';
import { testMembers } from '../../../test/members.ts';
import type { ReceivedMail } from '../../../test/smtp-receiver.ts';

const ASK = '/api/v1/auth/password-reset';
const CONFIRM = `${ASK}/confirm`;

const { app, smtp, mailsTo, mailTo, confirmedAccount, allMailed } = await testMemberMails();
const { member } = testMembers(app);

const ask = (email: string) => app.request('POST', ASK, { body: { email } });
const confirm = (token: string, password = 'quite another secret') =>
  app.request('POST', CONFIRM, { body: { token, password, password2: password } });

/** Somebody with a link that was mailed. */
const asked = async () => {
  const account = await confirmedAccount();
  await ask(account.email);
  return { ...account, link: tokenIn(await mailTo('password-reset', account.email)) };
};

describe('the link to a new password', () => {
  it('stands in the mail alone', async () => {
    const { email, username, link } = await asked();
    const mail = await mailTo('password-reset', email);
    expect(linkIn(mail)).toBe(`https://chat.example.com/console/reset#token=${link}`);
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
