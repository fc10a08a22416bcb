// `npm test`: builds what is stale, type-checks, lints, and runs every test.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findBrowser } from '../demo/test/find-browser.mjs';
import { buildStale } from './build.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** @param {string} command @param {string[]} args @param {Record<string, string>} env */
const run = (command, args, env = {}) => {
  const { status } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
};

try {
  await buildStale();
  run('npm', ['run', '--silent', 'check']);
  run('npx', ['vitest', 'run', ...process.argv.slice(2)], { CHROME_PATH: findBrowser() });
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
  process.exit(1);
}
