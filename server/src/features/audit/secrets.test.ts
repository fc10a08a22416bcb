import { Secret, TOTP } from 'otpauth';
import { expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { actionsOf, auditOf } from '../../../test/audit.ts';

const app = testApp();
const { call, trail, signIn } = auditOf(app);
const PASSWORD = 'a long enough secret';

it('holds no secret of all that are made, shown and used', async () => {
  const { token, username, id } = await app.account();
  const secrets: string[] = [token, PASSWORD];
  const post = async (path: string, body?: object) => (await call('POST', path, { token, body })).json;
  const webhook = await post('/webhooks/', {
    event: 'message.added',
    target: 'https://hooks.example.com/in/s3cr3t-in-the-path?key=s3cr3t-in-the-query',
  });
  secrets.push('s3cr3t-in-the-path', 's3cr3t-in-the-query');
  const secretOf = async () =>
    (await call('GET', `/webhooks/${webhook.uuid}/secret/`, { token })).json.secret;
  secrets.push(await secretOf());
  await post(`/webhooks/${webhook.uuid}/secret/rotate/`);
  secrets.push(await secretOf());
  const moved = { target: 'https://hooks.example.com/in/an0ther-s3cr3t' };
  await call('PATCH', `/webhooks/${webhook.uuid}/`, { token, body: moved });
  secrets.push('an0ther-s3cr3t');
  const workflow = await post('/workflows/', {
    name: 'Bot',
    nodes: [{ id: 's', type: 'start', greeting: 'Hi' }],
  });
  secrets.push(workflow.public_key, (await post(`/workflows/${workflow.uuid}/rotate-key/`)).public_key);
  secrets.push((await post('/tokens/', { name: 'Import', scopes: ['leads:read'] })).token);
  const totp = await post('/auth/totp', { password: PASSWORD });
  const code = new TOTP({ secret: Secret.fromBase32(totp.secret) }).generate();
  const { recovery_codes } = await post('/auth/totp/confirm', { code });
  secrets.push(totp.secret, code, ...recovery_codes);
  const started = await app.request('POST', '/api/v1/auth/session', {
    body: { username, password: PASSWORD, code: recovery_codes[0] },
  });
  secrets.push(/=([^;]+)/.exec(String(started.headers['set-cookie']))?.[1] ?? '');
  await post('/auth/totp/disable', { password: PASSWORD });
  const invited = (await post('/members/', { email: `x${id}@example.com` })) as { invite_url: string };
  const invitation = invited.invite_url.split('=')[1] ?? '';
  const chosen = {
    username: `somebody-${id}`,
    password: 'whatever grace likes',
    password2: 'whatever grace likes',
  };
  await call('POST', '/auth/accept-invitation', { body: { token: invitation, ...chosen } });
  secrets.push(invitation, chosen.password);
  const password = 'quite another secret';
  await post('/auth/password', { old_password: PASSWORD, password, password2: password });
  const reset = await app.request('POST', '/api/v1/auth/api-token', {
    body: { username, password, reset_token: true },
  });
  secrets.push(password, reset.json.token);
  await signIn(username, 'a guess at the secret');
  secrets.push('a guess at the secret');
  const { models } = app.services;
  const dump = JSON.stringify([await models.audit.find().lean(), await models.tombstones.find().lean()]);
  expect(secrets.every((secret) => secret?.length >= 6)).toBe(true);
  expect(secrets.filter((secret) => dump.includes(secret))).toEqual([]);
  const done = new Set(actionsOf(await trail(reset.json.token)));
  for (const action of [
    'resetToken',
    'changePassword',
    'confirmTotp',
    'disableTotp',
    'rotateWebhookSecret',
  ]) {
    expect([action, done.has(action)]).toEqual([action, true]);
  }
});
