import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mongoose from 'mongoose';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from './app.ts';
import { spawnCommand } from './command-line.ts';
import { documentsWith } from './everything.ts';
import { movedAccounts } from './moved-accounts.ts';
import { owner } from './rest.ts';
import { withServerHere } from './server-here.ts';
import { sharedSettings, startServerProcess } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { startReceiver, until } from './webhooks-parts.ts';

/**
 * An import whose file comes through a pipe that says no more before the last line, as of a copy over ssh, and that is killed
 * then: nothing of it is taken for a part of another file, and nothing stays.
 */

const PATIENCE = { timeout: 120_000, interval: 100 };

/** Where the accounts come from. */
const source = testApp({ WEBHOOK_RETRY_DELAYS: '1h' });
const accounts = movedAccounts(source);

/** An account to which a visitor has said a word, and the lines of its export. @param target of a webhook */
const exported = async (target?: string) => {
  const { id: account, token, username, widget } = await source.account();
  if (target) {
    const body = { event: 'message.added', target };
    expect((await source.request('POST', '/api/v1/webhooks/', { token, body })).status).toBe(201);
  }
  const { visitor, room } = await source.session(widget);
  const body = { body: 'Rumpelstiltskin', room: { uuid: room.uuid } };
  expect((await source.request('POST', '/api/v1/messages/', { visitor, body })).status).toBe(201);
  const tries = async () =>
    (await source.request('GET', '/api/v1/deliveries/', { token })).json[0]?.attempts.length;
  if (target) await expect.poll(tries, PATIENCE).toBe(1);
  const path = `/api/v1/widgets/${widget}/sessions/`;
  const erase = async () => expect((await source.request('DELETE', path, { visitor })).status).toBe(204);
  const linesNow = async () => (await accounts.exported(username)).map((line) => JSON.stringify(line));
  // An import that takes seconds says how far it is.
  const err = expect.stringMatching(/^(importing \d+ …\n)*$/);
  const isImported = { code: 0, out: `imported ${username}\n`, err };
  return { account, erase, lines: await linesNow(), linesNow, isImported, folder: await temporaryFolder() };
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

/** Another database. */
const target = async () => {
  const settings: Record<string, string> = { ...(await sharedSettings()), RATE_LIMIT: 'off' };
  const connection = await mongoose.createConnection(settings.MONGODB_URL ?? '').asPromise();
  onTestFinished(() => connection.close());
  return { connection, settings };
};

/** What a process that was killed held is as it is half a minute later. */
const leasesRunOut = async (connection: mongoose.Connection) => {
  const claims = connection.collection<{ _id: string }>('registrationclaims');
  const { modifiedCount } = await claims.updateMany(
    { _id: /^import / },
    { $set: { expires_at: new Date(Date.now() - 1) } },
  );
  expect(modifiedCount).toBe(1);
};

/** One into which the import of a file is killed with all but the last line stored. */
const killedImport = async (lines: readonly string[], folder: string) => {
  const { connection, settings } = await target();
  const { child, result } = await stalledImport(settings, folder, lines);
  const stored = () => documentsWith({ connection }, 'Rumpelstiltskin');
  await expect.poll(stored, PATIENCE).not.toEqual([]);
  child.kill('SIGKILL');
  await result;
  await leasesRunOut(connection);
  return { connection, settings };
};

it('brings back nothing that was erased between its file and the next one', {
  timeout: 240_000,
}, async () => {
  const { erase, folder, isImported, lines, linesNow } = await exported();
  const { connection, settings } = await killedImport(lines, folder);
  await erase();
  const file = join(folder, 'second.jsonl');
  const second = `${(await linesNow()).join('\n')}\n`;
  expect(second).not.toContain('Rumpelstiltskin');
  await writeFile(file, second);
  expect(await spawnCommand(settings, ['import', file]).result).toEqual(isImported);
  expect(await documentsWith({ connection }, 'Rumpelstiltskin')).toEqual([]);
});

it('is discarded by a server when nobody goes on for an hour', { timeout: 240_000 }, async () => {
  const { account, folder, lines } = await exported();
  const { connection, settings } = await killedImport(lines, folder);
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
  const { account, folder, isImported, lines: written } = await exported(receiver.url);
  const { connection, settings } = await target();
  // Another account's delivery that waits, whose queue comes after the imported one's.
  const deliveries = connection.collection('deliveries');
  const failing = await startReceiver(
    (_, response, count) => void (count === 1 && response.writeHead(500).end()),
  );
  await withServerHere({ ...settings, WEBHOOK_RETRY_DELAYS: '1h' }, async (url) => {
    const { rest } = await owner(url, 'grace');
    await rest('POST', '/api/v1/webhooks/', { event: 'lead.added', target: failing.url });
    await rest('POST', '/api/v1/leads/', { nickname: 'Linus', email: 'linus@example.com' });
    const isTried = () => deliveries.countDocuments({ tries: 1 });
    await expect.poll(isTried, PATIENCE).toBe(1);
  });
  await deliveries.updateMany({}, { $set: { due_at: new Date() } });

  const first = '00000000-0000-4000-8000-000000000000';
  const text = written.join('\n');
  const webhook = /^{"webhooks":{"_id":"([^"]+)"/m.exec(text)?.[1] ?? '';
  const lines = text
    .replaceAll(webhook, first)
    .replace(/("due_at":{"\$date":)"[^"]+"/, '$1"2026-01-01T00:00:00.000Z"')
    .split('\n');
  const { result, end } = await stalledImport(settings, folder, lines);
  const isStored = () => deliveries.countDocuments({ account, queue: first });
  await expect.poll(isStored, PATIENCE).toBe(1);
  await startServerProcess({ ...settings, WEBHOOK_RETRY_DELAYS: '1h' });
  await until(() => failing.hits.length === 2);
  expect(await deliveries.countDocuments({ account, state: 'pending', tries: 1 })).toBe(1);
  expect(receiver.hits.length).toBe(1);
  end(lines.at(-1) ?? '');
  expect(await result).toEqual(isImported);
  const delivered = () => deliveries.countDocuments({ account, state: 'delivered', tries: 2 });
  await expect.poll(delivered, PATIENCE).toBe(1);
  expect(receiver.hits.length).toBe(2);
});

it('goes on after its pipe has said nothing for long, though its lease is gone', {
  timeout: 240_000,
}, async () => {
  const { folder, isImported, lines } = await exported();
  const { connection, settings } = await target();
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
  expect(await result).toEqual(isImported);
  expect(await claims.countDocuments(ofImport)).toBe(0);
});

it('leaves to another import what that one holds by then', { timeout: 240_000 }, async () => {
  const { account, folder, lines } = await exported();
  const { connection, settings } = await target();
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
