// `npm test`: builds what is stale, type-checks, lints, and runs every test.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findBrowser } from '../demo/test/find-browser.mjs';
import { missingProxies } from '../server/test/find-proxies.mjs';
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

/** Tests that can't run here are reported as skipped; this says so before anything else, and what to do. */
const tellMissingProxies = () => {
  const missing = missingProxies();
  if (missing.length === 0) return;
  const names = missing.join(' and ');
  process.stderr.write(
    `Not run: the tests behind ${names} (server/test/proxies*.test.ts), which this machine does not have; on Debian: apt-get install nginx-light haproxy\n`,
  );
};

try {
  tellMissingProxies();
  await buildStale();
  run('npm', ['run', '--silent', 'check']);
  run('npx', ['vitest', 'run', ...process.argv.slice(2)], { CHROME_PATH: findBrowser() });
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
  process.exit(1);
}
