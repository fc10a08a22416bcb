import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** @type {import('node:child_process').ChildProcess[]} */
const running = [];

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
  running.push(child);
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const found = ready.exec(text)?.[1];
      if (found) resolve(found);
    });
    child.once('close', () => reject(new Error(`${args.join(' ')} ended before it was ready: ${text}`)));
  });
};

/** Ends what was started, last first. */
export const endPrograms = async () => {
  for (const child of running.reverse()) {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
  }
};
