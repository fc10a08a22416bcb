import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { spawnCommand } from './command-line.ts';
import { owner } from './rest.ts';
import { GaveUp, serverSettings, startServerProcess } from './server-process.ts';

const OTHER = 'another secret key than before, 40 long!';

/** What a server says that gives up. */
const gaveUp = async (settings: Record<string, string>): Promise<GaveUp> => {
  const error = await startServerProcess(settings).catch((reason) => reason);
  expect(error).toBeInstanceOf(GaveUp);
  return error;
};

it('a start with another SECRET_KEY refuses with one line, and changing keys works with both', async () => {
  const settings: Record<string, string> = { ...(await serverSettings()), REGISTRATION: 'open' };
  const first = await startServerProcess(settings);
  const { token } = await owner(first.url);
  await first.end('SIGTERM');
  const idle = await spawnCommand(settings, ['keys', 'rotate']).result;
  expect(idle.out).toMatch(/alone, and SECRET_KEY_PREVIOUS is not set: there is nothing to do\n$/);

  const refused = await gaveUp({ ...settings, SECRET_KEY: OTHER });
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(
    /^Parlor can't start: SECRET_KEY is not the one of this database: .*SECRET_KEY_PREVIOUS.*\n$/,
  );

  const file = join(settings.DATA_DIR ?? '', 'secret-key');
  const old = inject('isRealMongodb') ? settings.SECRET_KEY : await readFile(file, 'utf8');
  const changed = { ...settings, SECRET_KEY: OTHER, SECRET_KEY_PREVIOUS: old ?? '' };
  const second = await startServerProcess(changed);
  const listed = await fetch(`${second.url}/api/v1/rooms/`, { headers: { Authorization: `Token ${token}` } });
  expect(listed.status).toBe(200);
  await second.end('SIGTERM');

  // The old key is gone before `keys rotate`: what it has sealed would be lost to everybody.
  const early = { ...settings, SECRET_KEY: OTHER };
  const needs = /needs the key with the fingerprint \w{16}.*SECRET_KEY_PREVIOUS/;
  expect((await gaveUp(early)).stderr).toMatch(needs);
  const rotated = await spawnCommand(early, ['keys', 'rotate']).result;
  expect([rotated.code, rotated.err]).toEqual([1, expect.stringMatching(needs)]);
  expect(rotated.err.trim()).not.toContain('\n');
  if (inject('isRealMongodb')) return;

  // After the change the file holds the key that is gone.
  const done = await spawnCommand(changed, ['keys', 'rotate']).result;
  expect([done.code, done.out]).toEqual([0, expect.stringContaining(`\n${file} still holds another key (`)]);
  const elsewhere = await gaveUp(settings);
  expect(elsewhere.stderr).toContain(`with that fingerprint (${file} holds another, `);
  await writeFile(file, OTHER);
  const found = await gaveUp({ ...settings, SECRET_KEY: old ?? '' });
  expect(found.stderr).toContain(`with that fingerprint (it is in ${file});`);

  // A key that was made anew, since its file was lost, is another one as well.
  await writeFile(file, OTHER.replace('another', 'lost'));
  expect((await gaveUp(settings)).stderr).toMatch(/SECRET_KEY is not the one of this database/);
});
