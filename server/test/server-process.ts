import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';
import { giveBackDatabase, takeDatabase } from './databases.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The built server's entry. */
export const MAIN = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));
const READY = /^Parlor is ready: (http:\/\/\S+)\/$/m;
const PATIENCE = 60_000;
const WARNING = /"Node\.js warns"|^\(node:\d+\)/m;

/** Parlor in a process of its own, as an operator runs it. */
export interface ServerProcess {
  /** `http://127.0.0.1:<port>`; undefined when it gave up. */
  url: string;
  pid: number;
  stdout(): string;
  stderr(): string;
  /** Settles when it has ended, by itself or not. */
  ended: Promise<unknown>;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** The server gave up before it was ready. */
export class GaveUp extends Error {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  constructor(code: number | null, stdout: string, stderr: string) {
    super(`the server ended with ${code} before it was ready: ${stderr}`);
    this.code = code;
    this.stdout = stdout;
    this.stderr = stderr;
  }
}

const waitForEnd = async (child: ChildProcess) => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { code: child.exitCode, signal: child.signalCode };
};

/** When what a test has made goes away: when the test ends, unless its file says otherwise. */
export type AtEnd = (end: () => Promise<void>) => void;

/**
 * Starts the built server (or `npm start`) and waits for its ready line; it is killed at the end.
 * @throws GaveUp
 */
export const startServerProcess = async (
  env: Record<string, string>,
  command: readonly [string, ...string[]] = [process.execPath, MAIN],
  atEnd: AtEnd = onTestFinished,
): Promise<ServerProcess> => {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(command[0], command.slice(1), {
    cwd: ROOT,
    // Nothing of the surrounding environment but what programs need to be found.
    env: { PATH, HOME, LOG_LEVEL: 'warn', WEBHOOK_ALLOW_PRIVATE: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  atEnd(async () => {
    child.kill('SIGKILL');
    await waitForEnd(child);
    // Whatever a test is about: a leak of listeners, and what Node.js will have no more, are to be seen.
    if (WARNING.test(stderr)) throw new Error(`the server wrote a warning of Node.js: ${stderr}`);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`not ready in ${PATIENCE} ms: ${stderr}`)), PATIENCE);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const ready = READY.exec(stdout)?.[1];
      if (ready) resolve(ready);
    });
    child.once('close', (code) => reject(new GaveUp(code, stdout, stderr)));
    child.once('exit', () => clearTimeout(late));
  });
  return {
    url,
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    ended: waitForEnd(child),
    end: (signal) => {
      child.kill(signal);
      return waitForEnd(child);
    },
  };
};

/**
 * The settings for a server of a test: a data directory of its own, or a database of its own on the MongoDB that
 * the run uses. Both are gone at the end.
 */
export const serverSettings = async (atEnd: AtEnd = onTestFinished): Promise<Record<string, string>> => {
  if (!inject('isRealMongodb')) {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'parlor-data-'));
    atEnd(() => rm(DATA_DIR, { recursive: true, force: true }));
    // A killed server leaves its socket's folder behind: here it goes with the rest.
    return { PORT: '0', DATA_DIR, TMPDIR: DATA_DIR, REGISTRATION: 'open' };
  }
  return sharedSettings(atEnd);
};

/**
 * The settings for several servers of a test on one database of their own, on the MongoDB that the run uses or on the
 * run's embedded one. It is gone at the end.
 */
export const sharedSettings = async (atEnd: AtEnd = onTestFinished): Promise<Record<string, string>> => {
  const [, server, options = ''] = /^([^/]+\/\/[^/]+)[^?]*(\?.*)?$/.exec(inject('mongodbUrl')) ?? [];
  const dbName = await takeDatabase();
  atEnd(async () => giveBackDatabase(dbName));
  return {
    PORT: '0',
    MONGODB_URL: `${server}/${dbName}${options}`,
    SECRET_KEY: 'a secret key for the tests only, 40 long',
    // Tests register as many accounts as they need.
    REGISTRATION: 'open',
  };
};
