import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { spawnCommand } from './command-line.ts';
import { owner } from './rest.ts';
import { serverSettings, startServerProcess } from './server-process.ts';

const NEXT = 'the secret key that comes next, 40 long!';

/** What a server was started with before its keys change, and with both keys. */
const bothKeys = async () => {
  const settings: Record<string, string> = await serverSettings();
  const keyOf = async () =>
    inject('isRealMongodb')
      ? String(settings.SECRET_KEY)
      : readFile(join(settings.DATA_DIR ?? '', 'secret-key'), 'utf8');
  return {
    settings,
    changing: async () => ({ ...settings, SECRET_KEY: NEXT, SECRET_KEY_PREVIOUS: await keyOf() }),
  };
};

/** An account with something sealed of each kind, and how what is sealed reads. */
const sealed = async (url: string) => {
  const { token, rest } = await owner(url);
  const { uuid } = (await rest('POST', '/api/v1/webhooks/', { event: 'lead.added', target: `${url}/hook` }))
    .json;
  await rest('POST', `/api/v1/webhooks/${uuid}/secret/rotate/`, {});
  const { public_key } = (await rest('POST', '/api/v1/workflows/', { name: 'Orders' })).json;
  const program = { name: 'import', scopes: ['webhooks:read', 'workflows:read'], expires_at: null };
  const tokens = [token, (await rest('POST', '/api/v1/tokens/', program)).json.token];
  return async (at: string): Promise<unknown[]> => {
    const ask = async (path: string, asking: string) =>
      (await fetch(at + path, { headers: { Authorization: `Token ${asking}` } })).json();
    const flows = await Promise.all(tokens.map((asking) => ask('/api/v1/workflows/', asking)));
    expect(flows.map(([{ public_key: shown }]) => shown)).toEqual([public_key, public_key]);
    return [await ask(`/api/v1/webhooks/${uuid}/secret/`, token), flows];
  };
};

it.each(['beside a server', 'with no server'])(
  'keys rotate seals everything anew, %s',
  async (where) => {
    const { settings, changing } = await bothKeys();
    const first = await startServerProcess(settings);
    const read = await sealed(first.url);
    const before = await read(first.url);
    await first.end('SIGTERM');

    const both = await changing();
    const beside = where === 'beside a server' ? await startServerProcess(both) : undefined;
    const shown = await spawnCommand(both, ['keys', 'show']).result;
    expect(shown).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^SECRET_KEY \w{16}\nSECRET_KEY_PREVIOUS \w{16}\n$/),
    });
    const [, fingerprint] = /^SECRET_KEY (\w+)/.exec(shown.out) ?? [];
    const rotated = await spawnCommand(both, ['keys', 'rotate']).result;
    expect(rotated).toMatchObject({ code: 0 });
    expect(rotated.out).toMatch(/^[1-9]\d* documents sealed anew; 0 values were so already\n/);
    expect(rotated.out).toContain(`the database takes the key ${fingerprint} alone`);
    const again = await spawnCommand(both, ['keys', 'rotate']).result;
    expect(again.out).toMatch(/^0 documents sealed anew; [1-9]\d* values were so already\n/);
    await beside?.end('SIGTERM');

    const last = await startServerProcess({ ...settings, SECRET_KEY: NEXT });
    expect(await read(last.url)).toEqual(before);
  },
  120_000,
);

it('a request that is repeated after SECRET_KEY has changed is done once', async () => {
  const { settings, changing } = await bothKeys();
  const first = await startServerProcess(settings);
  const { token } = await owner(first.url);
  const send = async (url: string) => {
    const headers = {
      Authorization: `Token ${token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'once',
    };
    const answer = await fetch(`${url}/api/v1/rooms/`, { method: 'POST', headers, body: '{"name":"Ada"}' });
    return {
      status: answer.status,
      json: await answer.json(),
      replayed: answer.headers.get('idempotency-replayed'),
    };
  };
  const sent = await send(first.url);
  expect(sent).toMatchObject({ status: 201, replayed: null });
  await first.end('SIGTERM');

  const second = await startServerProcess(await changing());
  expect(await send(second.url)).toEqual({ ...sent, replayed: 'true' });
});
