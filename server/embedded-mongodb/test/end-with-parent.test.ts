/** What reads a database for a command ends with it: it would keep everybody else from opening the database. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';

const MODULE = new URL('../dist/storage/end-with-parent.js', import.meta.url).href;

/** It never comes to hear of anything. */
const BUSY = `
  const { endWithParent } = await import(${JSON.stringify(MODULE)});
  endWithParent();
  process.stdout.write(process.pid + '\\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
`;

const PARENT = `
  const args = ['--input-type=module', '-e', ${JSON.stringify(BUSY)}];
  require('node:child_process').spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
`;

test.skipIf(process.platform === 'win32')(
  'a busy process ends when the one that has started it is killed',
  async () => {
    const parent = spawn(process.execPath, ['-e', PARENT], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [pid] = await once(parent.stdout, 'data');
    let hasEnded = false;
    // Both have it open.
    parent.stdout.once('close', () => {
      hasEnded = true;
    });
    onTestFinished(() => void (hasEnded || process.kill(Number(pid), 'SIGKILL')));
    parent.kill('SIGKILL');
    await expect.poll(() => hasEnded, { timeout: 10_000 }).toBe(true);
  },
);
