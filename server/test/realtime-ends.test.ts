import { describe, expect, it } from 'vitest';
import { connect, openSocket } from './realtime-client.ts';
import { beginConversation, isType, says } from './realtime-parts.ts';
import { useServer } from './shared-server.ts';

const server = useServer();
const begin = () => beginConversation(server());

describe('a credential that ends', () => {
  it('takes its sockets with it, and no others', async () => {
    const { url, token, rest, visitor, widget, username } = await begin();
    const second = (await rest('POST', '/api/v1/widgets/', {})).json.token;
    const [erased, moved, stays] = [await visitor(), await visitor(second), await visitor()];
    const pages = await Promise.all(
      [erased, moved, stays].map(({ token }) => connect(url, { visitor: token })),
    );
    const operator = await connect(url, { token });
    const isClosed = async (client: (typeof pages)[number] | undefined) =>
      expect(await client?.closed).toEqual({ code: 4401, reason: 'the credential has ended' });
    expect((await erased.call('DELETE', `/api/v1/widgets/${widget}/sessions/`)).status).toBe(204);
    await isClosed(pages[0]);
    expect((await rest('DELETE', `/api/v1/widgets/${second}/`)).status).toBe(204);
    await isClosed(pages[1]);
    const credentials = { username, password: 'a long enough secret', reset_token: true };
    const reset = await rest('POST', '/api/v1/auth/api-token', credentials);
    await isClosed(operator);
    const again = await connect(url, { token: reset.json.token });
    await stays.say('Still here');
    await again.find(says('Still here'));
    await pages[2]?.find(says('Still here'));
  });

  it('ends with the member that opened it, and leaves those of others', async () => {
    const { url, rest, token, visitor } = await begin();
    const invited = (await rest('POST', '/api/v1/members/', { email: 'grace@example.com' })).json;
    const person = { username: 'grace', password: 'a long enough secret' };
    const accepted = { ...person, password2: person.password, token: invited.invite_url.split('#token=')[1] };
    expect((await rest('POST', '/api/v1/auth/accept-invitation', accepted)).status).toBe(201);
    const tokenOf = async (more: object = {}) =>
      (await rest('POST', '/api/v1/auth/api-token', { ...person, ...more })).json.token;
    const [before, owners] = [await connect(url, { token: await tokenOf() }), await connect(url, { token })];
    const ended = { code: 4401, reason: 'the credential has ended' };
    const programOf = async (as: string, scope: string) => {
      const headers = { authorization: `Token ${as}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ name: 'A program', scopes: [scope] });
      return (await fetch(`${url}/api/v1/tokens/`, { method: 'POST', headers, body })).json();
    };
    const own = await programOf(token, 'conversations:read');
    const [program, hers] = [
      await connect(url, { token: own.token }),
      await connect(url, { token: (await programOf(await tokenOf(), 'conversations:read')).token }),
    ];
    const blind = await openSocket(url);
    blind.send({ type: 'auth', scheme: 'Token', token: (await programOf(token, 'leads:write')).token });
    expect((await blind.closed).code).toBe(4401);
    const fresh = await tokenOf({ reset_token: true });
    expect(await before.closed).toEqual(ended);
    const after = await connect(url, { token: fresh });
    expect((await rest('DELETE', `/api/v1/members/${invited.uuid}/`)).status).toBe(204);
    expect([await after.closed, await hers.closed]).toEqual([ended, ended]);
    expect((await rest('DELETE', `/api/v1/tokens/${own.uuid}/`)).status).toBe(204);
    expect(await program.closed).toEqual(ended);
    await (await visitor()).say('Still here');
    await owners.find(says('Still here'));
  });

  it('opens nothing from a page that the widget may not run on', async () => {
    const { url, rest, widget, visitor } = await begin();
    const { token } = await visitor();
    await rest('PATCH', `/api/v1/widgets/${widget}/`, { domain: 'https://shop.example.com' });
    for (const [origin, isAllowed] of [
      ['https://shop.example.com', true],
      ['http://www.shop.example.com:8080', true],
      ['https://example.com', false],
      ['https://shop.example.com.evil.test', false],
      ['null', false],
    ] as const) {
      const client = await openSocket(url, { origin });
      client.send({ type: 'auth', scheme: 'Visitor', token });
      if (isAllowed) await client.find(isType('ready'));
      else expect([origin, (await client.closed).code]).toEqual([origin, 4401]);
    }
  });

  it('closes those of a page that the widget may not run on any more, and no others', async () => {
    const { url, rest, widget, visitor } = await begin();
    const { token, say } = await visitor();
    const open = (origin: string) => connect(url, { visitor: token }, { origin });
    const [shop, other, none] = [
      await open('https://shop.example'),
      await open('https://blog.example'),
      await connect(url, { visitor: token }),
    ];
    await rest('PATCH', `/api/v1/widgets/${widget}/`, { domain: 'https://shop.example' });
    expect(await other.closed).toEqual({ code: 4401, reason: 'the credential has ended' });
    await say('Still here');
    for (const client of [shop, none]) await client.find(says('Still here'));
  });
});
