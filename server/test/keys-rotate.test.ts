import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { openDatabase } from '../src/database/connect.ts';
import { loadConfig } from '../src/platform/config.ts';
import { spawnCommand } from './command-line.ts';
import { commandDyingAt, startDoomedServer } from './fault-points.ts';
import { caller, owner } from './rest.ts';
import { withServerHere } from './server-here.ts';
import { GaveUp, serverSettings, startServerProcess } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

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

/** A database with sealed fields that is about to get another key: `read` opens them at a server, `before` is what it gave. */
const changingKeys = async () => {
  const { settings, changing } = await bothKeys();
  const { read, before } = await withServerHere(settings, async (url) => {
    const read = await sealed(url);
    return { read, before: await read(url) };
  });
  return { settings, both: await changing(), read, before };
};

it.each(['beside a server', 'with no server'])(
  'keys rotate seals everything anew, %s',
  async (where) => {
    const { settings, both, read, before } = await changingKeys();
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

it.each([
  ['a token is sealed', 'beside a server', { collection: 'accounts', when: 'after' }],
  ['a secret is sealed', 'with no server', { collection: 'webhooks', when: 'before' }],
  ['the old key is forgotten', 'beside a server', { collection: 'secretkeys', when: 'before' }],
  ['the old key was forgotten', 'with no server', { collection: 'secretkeys', when: 'after' }],
] as const)(
  'keys rotate that is killed when %s, %s, loses nothing and goes on',
  { timeout: 120_000 },
  async (_, where, write) => {
    const dieAt = { ...write, method: 'updateOne' };
    const { settings, both, read, before } = await changingKeys();
    await withServerHere(both, async () => undefined);
    const rotate = ['keys', 'rotate'];
    // On the embedded database it runs inside of the server, which dies of it.
    if (where === 'with no server' || inject('isRealMongodb')) {
      const beside = where === 'beside a server' ? await startServerProcess(both) : undefined;
      const { child, result } = spawnCommand({ ...both, ...commandDyingAt(dieAt) }, rotate);
      await result;
      expect(child.signalCode).toBe('SIGKILL');
      if (beside) expect(await read(beside.url)).toEqual(before);
      await beside?.end('SIGTERM');
    } else {
      const doomed = await startDoomedServer(both, { name: '', dieAt });
      expect(await spawnCommand(both, rotate).result).toMatchObject({ code: 1, out: '' });
      expect(await doomed.ended).toEqual({ code: null, signal: 'SIGKILL' });
    }

    // What each key opens alone: all of it, or a start that says what is missing.
    for (const SECRET_KEY of [NEXT, both.SECRET_KEY_PREVIOUS ?? '']) {
      const alone = await startServerProcess({ ...settings, SECRET_KEY }).catch((error: unknown) => error);
      if (alone instanceof GaveUp) {
        expect(alone).toMatchObject({
          code: 1,
          stderr: expect.stringMatching(/^Parlor can't start: .*key/),
        });
      } else {
        const server = alone as Awaited<ReturnType<typeof startServerProcess>>;
        expect(await read(server.url)).toEqual(before);
        await server.end('SIGTERM');
      }
    }
    expect(await withServerHere(both, read)).toEqual(before);
    expect(await spawnCommand(both, rotate).result).toMatchObject({ code: 0, err: '' });
    const last = await startServerProcess({ ...settings, SECRET_KEY: NEXT });
    expect(await read(last.url)).toEqual(before);
  },
);

/** A webhook whose secret no key opens, as a faulty disk or a hand leaves it. */
const damagedWebhook = async (settings: Record<string, string>) => {
  const { uuid, token } = await withServerHere(settings, async (url) => {
    const { token, rest } = await owner(url, 'bob');
    const made = { event: 'lead.added', target: `${url}/hook` };
    const { uuid } = (await rest('POST', '/api/v1/webhooks/', made)).json;
    return { uuid, token };
  });
  const { connection, close } = await openDatabase(loadConfig(settings), { forCopy: true });
  const webhooks = connection.collection<{ _id: string; secret_sealed: string }>('webhooks');
  const { secret_sealed = '' } = (await webhooks.findOne({ _id: uuid })) ?? {};
  const damaged = secret_sealed.replace(/.{8}$/, 'AAAAAAAA');
  await webhooks.updateOne({ _id: uuid }, { $set: { secret_sealed: damaged } });
  await close();
  return { uuid, token };
};

it.each(['beside a server', 'with no server'])(
  'keys rotate goes on past what opens by neither key, names it, and locks nobody out, %s',
  { timeout: 120_000 },
  async (where) => {
    const { settings, both, read, before } = await changingKeys();
    const { uuid, token } = await damagedWebhook(settings);
    const beside = where === 'beside a server' ? await startServerProcess(both) : undefined;
    const rotate = () => spawnCommand(both, ['keys', 'rotate']).result;
    const rotated = await rotate();
    expect(rotated.err).toMatch(
      new RegExp(
        `^opened by neither key, and left as they are: webhooks ${uuid} secret_sealed\\. It is damaged`,
      ),
    );
    expect(rotated.code).toBe(1);
    expect(rotated.out).toMatch(/^[1-9]\d* documents sealed anew; 0 values were so already\n/);
    expect((await rotate()).out).toMatch(/^0 documents sealed anew; [1-9]/);
    await beside?.end('SIGTERM');
    if (!inject('isRealMongodb')) {
      const check = await spawnCommand({ ...settings, SECRET_KEY: NEXT }, ['database', 'check']).result;
      expect([check.code, check.err]).toEqual([
        1,
        `webhooks ${uuid} secret_sealed is damaged: no key of this database opens it\n`,
      ]);
    }

    await expect(
      startServerProcess({ ...settings, SECRET_KEY: both.SECRET_KEY_PREVIOUS ?? '' }),
    ).rejects.toThrow('SECRET_KEY is not the one of this database');
    const last = await startServerProcess({ ...settings, SECRET_KEY: NEXT });
    expect(await read(last.url)).toEqual(before);
    const ask = caller(last.url, `Token ${token}`);
    expect(await ask('GET', `/api/v1/webhooks/${uuid}/secret/`)).toMatchObject({
      status: 500,
      json: { detail: expect.stringContaining('has to be replaced') },
    });
    expect((await ask('POST', `/api/v1/webhooks/${uuid}/secret/rotate/`, {})).status).toBe(200);
    expect((await ask('GET', `/api/v1/webhooks/${uuid}/secret/`)).status).toBe(200);
    await last.end('SIGTERM');
    expect(await spawnCommand({ ...settings, SECRET_KEY: NEXT }, ['keys', 'rotate']).result).toMatchObject({
      code: 0,
      err: '',
    });
  },
);

it.skipIf(inject('isRealMongodb'))(
  'keys rotate and keys show refuse a running server that has other keys than whoever gives them',
  { timeout: 120_000 },
  async () => {
    const { settings, both, read, before } = await changingKeys();
    const server = await startServerProcess(settings);
    for (const command of ['rotate', 'show']) {
      expect(await spawnCommand(both, ['keys', command]).result).toEqual({
        code: 1,
        out: '',
        err: expect.stringMatching(
          /^the running server has other keys: SECRET_KEY \w{16} alone, and here SECRET_KEY \w{16} and .*Restart it/,
        ),
      });
    }
    // Whoever sets none takes the server's word.
    expect(await spawnCommand(settings, ['keys', 'show']).result).toMatchObject({ code: 0, err: '' });
    await server.end('SIGTERM');
    const after = await startServerProcess(both);
    expect(await read(after.url)).toEqual(before);
    expect(await spawnCommand(both, ['keys', 'rotate']).result).toMatchObject({ code: 0, err: '' });
  },
);

it.skipIf(inject('isRealMongodb'))(
  'a backup says which keys it needs, also of one that changes them',
  { timeout: 120_000 },
  async () => {
    const { both } = await changingKeys();
    const folder = await temporaryFolder();
    const shown = (await spawnCommand(both, ['keys', 'show']).result).out.match(/\b[0-9a-f]{16}\b/g) ?? [];
    const needed = async (name: string) => {
      const { out } = await spawnCommand(both, ['backup', join(folder, name)]).result;
      return out
        .match(/\((?:its fingerprint is|their fingerprints are) (.*)\)/)?.[1]
        ?.split(' and ')
        .sort();
    };
    expect(await needed('amid')).toEqual([...shown].sort());
    expect(await spawnCommand(both, ['keys', 'rotate']).result).toMatchObject({ code: 0 });
    expect(await needed('after')).toEqual(shown.slice(0, 1));
    expect((await readdir(join(folder, 'after', 'database'))).sort()).toEqual(['data.mdb', 'made']);
  },
);

it('a request that is repeated after SECRET_KEY has changed is done once', async () => {
  const { settings, changing } = await bothKeys();
  const send = async (url: string, token: string) => {
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
  const [sent, token] = await withServerHere(settings, async (url) => {
    const { token } = await owner(url);
    return [await send(url, token), token] as const;
  });
  expect(sent).toMatchObject({ status: 201, replayed: null });

  const second = await startServerProcess(await changing());
  expect(await send(second.url, token)).toEqual({ ...sent, replayed: 'true' });
});
