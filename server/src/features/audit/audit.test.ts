import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { actionsOf, auditOf } from '../../../test/audit.ts';

const app = testApp({
  TRUST_PROXY: 'loopback',
  PUBLIC_URL: 'https://chat.example.com',
  REGISTRATION: 'open',
});
const { call, trail, signIn } = auditOf(app);
const PASSWORD = 'a long enough secret';

describe('an entry', () => {
  it('says who changed what, from where, and which fields', async () => {
    const { token, id, username } = await app.account();
    const headers = { 'x-forwarded-for': '198.51.100.9, 2001:DB8:0::7' };
    const { json } = await call('POST', '/widgets/', { token, headers, body: { name: 'Shop' } });
    const path = `/widgets/${json.token}/`;
    await call('PATCH', path, {
      token,
      headers,
      body: { name: 'Store', color: '#123456', popup_timeout: 9 },
    });
    const [changed, made] = await trail(token);
    expect(changed).toEqual({
      uuid: expect.any(String),
      at: expect.any(String),
      last_at: changed.at,
      count: 1,
      actor: { kind: 'member', uuid: id, name: username, token: null },
      address: '2001:db8::7',
      action: 'changeWidget',
      object: { kind: 'widget', uuid: json.uuid, label: 'Shop' },
      changes: expect.arrayContaining([
        { field: 'name', from: 'Shop', to: 'Store' },
        { field: 'color', from: null, to: null },
        { field: 'popup_timeout', from: null, to: null },
      ]),
    });
    expect(changed.changes).toHaveLength(3);
    expect(made).toMatchObject({ action: 'createWidget', object: { uuid: json.uuid } });
  });

  it('names the token of a program', async () => {
    const { token, id } = await app.account();
    const program = (
      await call('POST', '/tokens/', {
        token,
        body: { name: 'Import', scopes: ['keywords:write', 'audit:read'] },
      })
    ).json;
    await call('POST', '/keywords/', { token: program.token, body: { keyword: 'refund' } });
    const [entry, made] = await trail(program.token);
    expect(entry.actor).toMatchObject({ kind: 'program', uuid: id, token: 'Import' });
    expect(made.changes).toContainEqual({ field: 'scopes', from: null, to: 'keywords:write,audit:read' });
    // Nor does it read what it has no scope for.
    const { token: other } = (
      await call('POST', '/tokens/', { token, body: { name: 'Other', scopes: ['keywords:write'] } })
    ).json;
    expect((await app.request('GET', '/api/v1/audit/', { token: other })).status).toBe(403);
  });

  it('is the server’s own where a receiver wants no more', async () => {
    const { token } = await app.account();
    const receiver = createServer((_, answer) => answer.writeHead(410).end()).listen(0, '127.0.0.1');
    onTestFinished(() => void receiver.close());
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const target = `http://127.0.0.1:${port}/in`;
    await call('POST', '/webhooks/', { token, body: { event: 'chat.added', target } });
    await call('POST', '/rooms/', { token, body: {} });
    await expect
      .poll(() => trail(token, '?action=unsubscribeWebhook'), { timeout: 60_000 })
      .toMatchObject([
        {
          actor: { kind: 'system', uuid: null },
          address: null,
          object: { kind: 'webhook', label: `chat.added http://127.0.0.1:${port}` },
        },
      ]);
  });

  it('is cut where texts are long', async () => {
    const { token, widget } = await app.account();
    for (const name of ['\u{1f600}'.repeat(100), 'x'.repeat(100)]) {
      await call('PATCH', `/widgets/${widget}/`, {
        token,
        body: { name, domain: `https://${'y.'.repeat(100)}com` },
      });
    }
    const [second, first] = await trail(token);
    expect(second.object.label).toBe('\u{1f600}'.repeat(100));
    const { to } = first.changes.find(({ field }: { field: string }) => field === 'domain');
    expect([[...to].length, to.at(-1)]).toEqual([150, '…']);
  });

  it('is not left by what changes nothing', async () => {
    const { token, id, widget, username } = await app.account();
    await call('PATCH', `/widgets/${widget}/`, { token, body: { name: 'Shop' } });
    const before = await trail(token);
    const patch = (headers: Record<string, string>, body: object) =>
      app.request('PATCH', `/api/v1/widgets/${widget}/`, { token, headers, body });
    expect((await patch({ 'if-match': '"other"' }, { name: 'Store' })).status).toBe(412);
    expect((await patch({}, { name: 5 })).status).toBe(400);
    expect((await patch({}, { name: 'Shop' })).status).toBe(200);
    expect((await patch({}, {})).status).toBe(200);
    await call('PATCH', '/members/me/', { token, body: { is_away: true } });
    expect(
      (await app.request('PATCH', `/api/v1/members/${id}/`, { token, body: { role: 'admin' } })).status,
    ).toBe(409);
    expect((await app.request('DELETE', `/api/v1/members/${id}/`, { token })).status).toBe(409);
    const body = { old_password: 'wrong', password: PASSWORD, password2: PASSWORD };
    expect((await app.request('POST', '/api/v1/auth/password', { token, body })).status).toBe(400);
    expect((await app.request('DELETE', `/api/v1/webhooks/${id}/`, { token })).status).toBe(404);
    const after = (await trail(token)).filter(({ action }: { action: string }) => action !== 'failedSignIn');
    expect(after).toEqual(before);
    expect(username).not.toBe('');
  });

  it('is one for a request that is replayed, and one for two fields at once', async () => {
    const { token } = await app.account();
    const headers = { 'idempotency-key': 'once' };
    const make = () => call('POST', '/widgets/', { token, headers, body: { name: 'Shop' } });
    await Promise.all([make(), make(), make()]);
    const invited = (await call('POST', '/members/', { token, body: { email: 'grace@example.com' } })).json;
    await call('PATCH', `/members/${invited.uuid}/`, { token, body: { role: 'admin', name: 'Grace' } });
    const entries = await trail(token);
    expect(actionsOf(entries)).toEqual([
      'changeMember',
      'inviteMember',
      'createWidget',
      'obtainToken',
      'register',
    ]);
    expect(entries[0].changes).toEqual([
      { field: 'role', from: 'operator', to: 'admin' },
      { field: 'name', from: '', to: 'Grace' },
    ]);
    expect(entries[0].object.label).toBe('grace@example.com');
  });

  it('is one where the founding member leaves its place', async () => {
    const { token, id, username } = await app.account();
    const email = `${username}-heir@example.com`;
    const { invite_url } = (await call('POST', '/members/', { token, body: { email, role: 'owner' } })).json;
    const heir = `${username}-heir`;
    await call('POST', '/auth/accept-invitation', {
      body: { token: invite_url.split('=')[1], username: heir, password: PASSWORD, password2: PASSWORD },
    });
    const own = (await signIn(heir, PASSWORD)).json.token;
    // At once: the entries of both documents are still in them.
    await call('PATCH', `/members/${id}/`, { token: own, body: { role: 'admin' } });
    await call('DELETE', `/members/${id}/`, { token: own });
    const entries = await trail(own);
    expect(actionsOf(entries)).toEqual([
      'removeMember',
      'changeMember',
      'obtainToken',
      'acceptInvitation',
      'inviteMember',
      'obtainToken',
      'register',
    ]);
    expect(entries[1]).toMatchObject({
      actor: { name: heir },
      object: { uuid: id, label: username },
      changes: [{ field: 'role', from: 'owner', to: 'admin' }],
    });
  });
});

describe('the list', () => {
  it('is cut into pages, and by member, object, kind, action and day', async () => {
    const { token, id, widget } = await app.account();
    const { uuid } = (await call('GET', '/widgets/', { token })).json[0];
    for (const name of ['a', 'b', 'c']) await call('PATCH', `/widgets/${widget}/`, { token, body: { name } });
    await call('POST', '/keywords/', { token, body: { keyword: 'refund' } });
    const all = await trail(token);
    const pages = [];
    for (let path = '/audit/?limit=2'; path; ) {
      const { json, headers } = await call('GET', path, { token });
      pages.push(...json);
      path = /\/api\/v1(\S+)>/.exec(headers.link ?? '')?.[1] ?? '';
    }
    expect(pages).toEqual(all);
    expect(all).toHaveLength(6);
    const count = async (query: string) => (await trail(token, query)).length;
    expect(await count(`?member=${id}`)).toBe(6);
    expect(await count(`?member=${uuid}`)).toBe(0);
    expect(await count(`?object=${uuid.toUpperCase()}`)).toBe(3);
    expect(await count('?kind=widget')).toBe(3);
    expect(await count('?action=createKeyword')).toBe(1);
    expect(await count(`?member=${id}&kind=keyword`)).toBe(1);
    expect(await count('?start_date=2020-01-01')).toBe(6);
    expect(await count('?end_date=2020-01-01')).toBe(0);
    const { token: other } = await app.account();
    expect(await trail(other, `?object=${uuid}`)).toEqual([]);
  });

  it.each([
    'member=x',
    'object=',
    'kind=dog',
    'action=drop',
    'kind=widget&action=createWidget',
    'member=a&member=b',
  ])('takes no "%s"', async (query) => {
    const { token } = await app.account();
    expect((await app.request('GET', `/api/v1/audit/?${query}`, { token })).status).toBe(400);
  });
});
