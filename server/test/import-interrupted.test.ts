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
import { startReceiver, until } from './webhooks-parts.ts';

/**
 * An import whose file comes through a pipe that says no more before the last line, as of a copy over ssh, and that is killed
 * then: nothing of it is taken for a part of another file, and nothing stays.
 */

const PATIENCE = { timeout: 120_000, interval: 100 };

const parlor = (settings: Record<string, string>, ...args: string[]) => spawnCommand(settings, args).result;

/** A server with the account of ada, to whom a visitor has said a word, and its export. @param target of a webhook */
const exported = async (target?: string) => {
  const folder = await temporaryFolder();
  const settings: Record<string, string> = {
    ...(await sharedSettings()),
    ...{ RATE_LIMIT: 'off', WEBHOOK_RETRY_DELAYS: '1h' },
  };
  const { url } = await startServerProcess(settings);
  const { widget, rest } = await owner(url);
  const { uuid: account } = (await rest('GET', '/api/v1/account/')).json;
  const subscribed = { event: 'message.added', target };
  if (target) expect((await rest('POST', '/api/v1/webhooks/', subscribed)).status).toBe(201);
  const path = `/api/v1/widgets/${widget}/sessions/`;
  const session = (await caller(url)('POST', path, {})).json;
  const visitor = caller(url, `Visitor ${session.token}`);
  const said = { body: 'Rumpelstiltskin', room: { uuid: session.room.uuid } };
  expect((await visitor('POST', '/api/v1/messages/', said)).status).toBe(201);
  const tries = async () => (await rest('GET', '/api/v1/deliveries/')).json[0]?.attempts.length;
  if (target) await expect.poll(tries, PATIENCE).toBe(1);
  const files = { first: join(folder, 'first.jsonl'), second: join(folder, 'second.jsonl') };
  expect(await parlor(settings, 'export', 'ada', files.first)).toMatchObject({ code: 0 });
  const erase = async () => expect((await visitor('DELETE', path)).status).toBe(204);
  return { account, erase, files, folder, settings };
};

/** An import of all but the last line, and what writes that; the pipe stays open. */
const stalledImport = async (settings: Record<string, string>, folder: string, lines: readonly string[]) => {
  const pipe = join(folder, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const { child, result } = spawnCommand(settings, ['import', pipe]);
  const input = createWriteStream(pipe).on('error', () => undefined);
  onTestFinished(() => void input.destroy());
  await once(input, 'open');
  input.write(`${lines.slice(0, -1).join('\n')}\n`);
  return { child, result, end: (line: string) => input.end(`${line}\n`) };
};

const linesOf = async (file: string) => (await readFile(file, 'utf8')).trimEnd().split('\n');

/** Another database. */
const target = async () => {
  const settings: Record<string, string> = { ...(await sharedSettings()), RATE_LIMIT: 'off' };
  const connection = await mongoose.createConnection(settings.MONGODB_URL ?? '').asPromise();
  onTestFinished(() => connection.close());
  return { connection, settings };
};

/** One into which the import of a file is killed with all but the last line stored. */
const killedImport = async (file: string, folder: string) => {
  const { connection, settings } = await target();
  const { child, result } = await stalledImport(settings, folder, await linesOf(file));
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

it('sends nothing that waits in its file before it is through, and then once', {
  timeout: 240_000,
}, async () => {
  const receiver = await startReceiver(
    (_, response, count) => void (count === 1 && response.writeHead(500).end()),
  );
  const { account, files, folder } = await exported(receiver.url);
  const { connection, settings } = await target();
  // Another account's delivery that waits, whose queue comes after the imported one's.
  const deliveries = connection.collection('deliveries');
  const server = await startServerProcess({ ...settings, WEBHOOK_RETRY_DELAYS: '1h' });
  const { rest } = await owner(server.url, 'grace');
  const failing = await startReceiver(
    (_, response, count) => void (count === 1 && response.writeHead(500).end()),
  );
  await rest('POST', '/api/v1/webhooks/', { event: 'lead.added', target: failing.url });
  await rest('POST', '/api/v1/leads/', { nickname: 'Linus', email: 'linus@example.com' });
  const isTried = () => deliveries.countDocuments({ tries: 1 });
  await expect.poll(isTried, PATIENCE).toBe(1);
  await server.end('SIGTERM');
  await deliveries.updateMany({}, { $set: { due_at: new Date() } });

  const first = '00000000-0000-4000-8000-000000000000';
  const text = await readFile(files.first, 'utf8');
  const webhook = /^{"webhooks":{"_id":"([^"]+)"/m.exec(text)?.[1] ?? '';
  const lines = text
    .replaceAll(webhook, first)
    .replace(/("due_at":{"\$date":)"[^"]+"/, '$1"2026-01-01T00:00:00.000Z"')
    .trimEnd()
    .split('\n');
  const { result, end } = await stalledImport(settings, folder, lines);
  const isStored = () => deliveries.countDocuments({ account, queue: first });
  await expect.poll(isStored, PATIENCE).toBe(1);
  await startServerProcess({ ...settings, WEBHOOK_RETRY_DELAYS: '1h' });
  await until(() => failing.hits.length === 2);
  expect(await deliveries.countDocuments({ account, state: 'pending', tries: 1 })).toBe(1);
  expect(receiver.hits.length).toBe(1);
  end(lines.at(-1) ?? '');
  expect(await result).toEqual({ code: 0, out: 'imported ada\n', err: '' });
  const delivered = () => deliveries.countDocuments({ account, state: 'delivered', tries: 2 });
  await expect.poll(delivered, PATIENCE).toBe(1);
  expect(receiver.hits.length).toBe(2);
});

it('goes on after its pipe has said nothing for long, though its lease is gone', {
  timeout: 240_000,
}, async () => {
  const { files, folder } = await exported();
  const { connection, settings } = await target();
  const lines = await linesOf(files.first);
  const { child, result, end } = await stalledImport(settings, folder, lines);
  await expect.poll(() => documentsWith({ connection }, 'Rumpelstiltskin'), PATIENCE).not.toEqual([]);
  const claims = connection.collection<{ _id: string; expires_at: Date }>('registrationclaims');
  const ofImport = { _id: /^import / };
  const ends = async () => (await claims.findOne(ofImport))?.expires_at.getTime() ?? 0;
  // It is renewed while nothing comes.
  const first = await ends();
  await expect.poll(ends, PATIENCE).toBeGreaterThan(first);
  // As when the process was stopped, and the database has removed what ran out.
  child.kill('SIGSTOP');
  await claims.deleteOne(ofImport);
  child.kill('SIGCONT');
  await expect.poll(ends, PATIENCE).toBeGreaterThan(first);
  end(lines.at(-1) ?? '');
  expect(await result).toEqual({ code: 0, out: 'imported ada\n', err: '' });
  expect(await claims.countDocuments(ofImport)).toBe(0);
});

it('leaves to another import what that one holds by then', { timeout: 240_000 }, async () => {
  const { account, files, folder } = await exported();
  const { connection, settings } = await target();
  const lines = await linesOf(files.first);
  const { result, end } = await stalledImport(settings, folder, lines);
  await expect.poll(() => documentsWith({ connection }, 'Rumpelstiltskin'), PATIENCE).not.toEqual([]);
  // As of one that began while this one was stopped, and has discarded what was there.
  const claims = connection.collection<{ _id: string; expires_at: Date }>('registrationclaims');
  const expires_at = new Date(Date.now() + 600_000);
  await claims.updateOne({ _id: `import ${account}` }, { $set: { expires_at } });
  const unfinished = connection.collection<{ _id: string; run: string }>('unfinishedimports');
  await unfinished.updateOne({ _id: account }, { $set: { run: 'the other one' } });
  end(lines.at(-1) ?? '');
  const { code, err } = await result;
  expect([code, err]).toEqual([1, expect.stringMatching(/by another import/)]);
  expect(await claims.findOne({ _id: `import ${account}` })).toMatchObject({ expires_at });
  expect(await documentsWith({ connection }, 'Rumpelstiltskin')).not.toEqual([]);
});
