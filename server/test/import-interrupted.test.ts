import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mongoose from 'mongoose';
import { expect, it, onTestFinished } from 'vitest';
import { spawnCommand } from './command-line.ts';
import { documentsWith } from './everything.ts';
import { caller, owner } from './rest.ts';
import { sharedSettings, startServerProcess } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * An import whose file comes through a pipe that says no more before the last line, as of a copy over ssh, and that is killed
 * then: nothing of it is taken for a part of another file, and nothing stays.
 */

const PATIENCE = { timeout: 120_000, interval: 100 };

const parlor = (settings: Record<string, string>, ...args: string[]) => spawnCommand(settings, args).result;

/** A server with the account of ada, to whom a visitor has said a word, and its export. */
const exported = async () => {
  const folder = await temporaryFolder();
  const settings: Record<string, string> = { ...(await sharedSettings()), RATE_LIMIT: 'off' };
  const { url } = await startServerProcess(settings);
  const { widget, rest } = await owner(url);
  const { uuid: account } = (await rest('GET', '/api/v1/account/')).json;
  const path = `/api/v1/widgets/${widget}/sessions/`;
  const session = (await caller(url)('POST', path, {})).json;
  const visitor = caller(url, `Visitor ${session.token}`);
  const said = { body: 'Rumpelstiltskin', room: { uuid: session.room.uuid } };
  expect((await visitor('POST', '/api/v1/messages/', said)).status).toBe(201);
  const files = { first: join(folder, 'first.jsonl'), second: join(folder, 'second.jsonl') };
  expect(await parlor(settings, 'export', 'ada', files.first)).toMatchObject({ code: 0 });
  const erase = async () => expect((await visitor('DELETE', path)).status).toBe(204);
  return { account, erase, files, folder, settings };
};

/** Another database, into which the import of a file is killed with all but the last line stored. */
const killedImport = async (file: string, folder: string) => {
  const settings: Record<string, string> = { ...(await sharedSettings()), RATE_LIMIT: 'off' };
  const connection = await mongoose.createConnection(settings.MONGODB_URL ?? '').asPromise();
  onTestFinished(() => connection.close());
  const pipe = join(folder, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const { child, result } = spawnCommand(settings, ['import', pipe]);
  const input = createWriteStream(pipe).on('error', () => undefined);
  onTestFinished(() => void input.destroy());
  await once(input, 'open');
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  input.write(`${lines.slice(0, -1).join('\n')}\n`);
  const stored = () => documentsWith({ connection }, 'Rumpelstiltskin');
  await expect.poll(stored, PATIENCE).not.toEqual([]);
  child.kill('SIGKILL');
  await result;
  return { connection, settings };
};

it('brings back nothing that was erased between its file and the next one', {
  timeout: 240_000,
}, async () => {
  const { erase, files, folder, settings: source } = await exported();
  const { connection, settings } = await killedImport(files.first, folder);
  await erase();
  expect(await parlor(source, 'export', 'ada', files.second)).toMatchObject({ code: 0 });
  expect(await readFile(files.second, 'utf8')).not.toContain('Rumpelstiltskin');
  expect(await parlor(settings, 'import', files.second)).toEqual({ code: 0, out: 'imported ada\n', err: '' });
  expect(await documentsWith({ connection }, 'Rumpelstiltskin')).toEqual([]);
});

it('is discarded by a server when nobody goes on for an hour', { timeout: 240_000 }, async () => {
  const { account, files, folder } = await exported();
  const { connection, settings } = await killedImport(files.first, folder);
  const seen_at = new Date(Date.now() - 3_600_000);
  await connection.collection('unfinishedimports').updateMany({}, { $set: { seen_at } });
  await startServerProcess(settings);
  // The lease of the one that was killed runs out first.
  await expect.poll(() => documentsWith({ connection }, account), PATIENCE).toEqual([]);
});
