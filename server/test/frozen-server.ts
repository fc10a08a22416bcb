import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';
import { startServerProcess } from './server-process.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

const BIN = fileURLToPath(new URL('../embedded-mongodb/dist/bin.js', import.meta.url));

/** What may come on top of a deadline on a busy machine. */
export const SLACK_MS = 3_000;

/**
 * A database in a process of its own, which can be stopped as a frozen machine or disk would stop it: the MongoDB
 * that MONGODB_COMMAND starts where the tests run on a real one, else the embedded one.
 */
export const startDatabase = async (): Promise<{ url: string; process: ChildProcess }> => {
  const folder = await mkdtemp(join(tmpdir(), 'parlor-frozen-'));
  const command = inject('isRealMongodb') ? process.env.MONGODB_COMMAND : undefined;
  const [file, ...args] = command
    ? [command, join(folder, 'data')]
    : [process.execPath, BIN, join(folder, 'data'), join(folder, 'db.sock')];
  const child = spawn(file as string, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  });
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim(), process: child };
};

/** Asks, and says how long the answer took. */
export const timed = async (url: string, init?: RequestInit) => {
  const begun = performance.now();
  const { status, headers } = await fetch(url, init);
  return { status, retryAfter: headers.get('retry-after'), took: performance.now() - begun };
};

/** DATABASE_TIMEOUT of `startFrozen`. */
export const TIMEOUT_MS = 4_000;

/** A server with an account, on a database that can be stopped. */
export const startFrozen = async (settings: Record<string, string> = {}) => {
  const database = await startDatabase();
  const receiver = await startWebhookReceiver();
  const server = await startServerProcess({
    PORT: '0',
    MONGODB_URL: database.url,
    SECRET_KEY: 'a secret key for the tests only, 40 long',
    DATABASE_TIMEOUT: `${TIMEOUT_MS}ms`,
    METRICS_TOKEN: 'm',
    ...settings,
  });
  const api = `${server.url}/api/v1`;
  const json = { 'Content-Type': 'application/json' };
  const ada = { username: 'ada', password: 'pick-a-long-one' };
  const registered = { ...ada, email: 'ada@example.com', password2: ada.password };
  await fetch(`${api}/auth/register`, { method: 'POST', headers: json, body: JSON.stringify(registered) });
  const signedIn = await fetch(`${api}/auth/api-token`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(ada),
  });
  const { token } = (await signedIn.json()) as { token: string };
  const headers = { ...json, Authorization: `Token ${token}` };
  const post = (path: string, body: object, more = {}) =>
    timed(`${api}${path}`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
  return { server, database, receiver, api, headers, post };
};
