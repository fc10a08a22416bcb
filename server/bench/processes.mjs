import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { fileURLToPath } from 'node:url';

/** With what they answered when they were ready. @type {Map<import('node:child_process').ChildProcess, string>} */
const running = new Map();

/**
 * Starts a node program and waits for the line that says where it listens.
 * @param {string[]} args @param {Record<string, string>} env @param {RegExp} ready its first group is the answer
 * @returns {Promise<string>}
 */
export const startProgram = async (args, env, ready) => {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 2],
  });
  running.set(child, '');
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const found = ready.exec(text)?.[1];
      if (!found) return;
      running.set(child, found);
      resolve(found);
    });
    child.once('close', () => reject(new Error(`${args.join(' ')} ended before it was ready: ${text}`)));
  });
};

/** Before a program's path: it then says on the socket that PROBE names what time it has used and what it holds. */
export const PROBED = ['--expose-gc', '--import', fileURLToPath(new URL('./probe.mjs', import.meta.url))];

/**
 * Asks a probed program: `cpu` in milliseconds, `held` (the heap after a collection, and what is outside of it) and
 * `rss` in bytes. The resident size has the pages of the embedded database's file in it, and what was let go.
 * @param {string} socketPath @param {'/memory' | '/cpu'} path
 * @returns {Promise<{ rss: number, held: number, cpu: number }>}
 */
export const probe = (socketPath, path) =>
  new Promise((resolve, reject) => {
    get({ socketPath, path }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(JSON.parse(text));
    }).once('error', reject);
  });

/** @param {import('node:child_process').ChildProcess} child */
const end = async (child) => {
  running.delete(child);
  if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
};

/** Ends the program that answered so when it was ready. @param {string} answer */
export const endProgram = async (answer) => {
  for (const [child, its] of running) if (its === answer) await end(child);
};

/** Ends what was started, last first. */
export const endPrograms = async () => {
  for (const child of [...running.keys()].reverse()) await end(child);
};
