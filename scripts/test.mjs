// `npm test`: builds what is stale, type-checks, lints, and runs every test; `npm run test:long` with longer rounds.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { missingProxies } from '../server/test/find-proxies.mjs';
import { findBrowser } from '../widget/test/find-browser.mjs';
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

/** How long the tests that can go on for ever do, in the long form; what the environment says goes first. */
const LONG = {
  AGENT_KILL_ROUNDS: '50',
  API_RUNS: '50',
  CONVERSATION_STEPS: '10000',
  CUT_SECONDS: '60',
  FUZZ_ATTEMPTS: '10000',
  HOSTILE_REQUESTS: '20000',
  KILL_ROUNDS: '500',
  PLANNER_ROUNDS: '100',
  REALTIME_FRAMES: '10000',
  REALTIME_ROUNDS: '50',
  REALTIME_SCHEDULES: '100',
  SCHEDULES: '60',
  WEBHOOK_CRASH_ROUNDS: '200',
  WIRE_ROUNDS: '5000',
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
  const given = process.argv.slice(2);
  // For .ci/run, several of whose runs follow the one that checks.
  if (!given.includes('--unchecked')) run('npm', ['run', '--silent', 'check']);
  const rounds = given.includes('--long') ? { ...LONG, ...process.env } : {};
  const args = given.filter((arg) => arg !== '--long' && arg !== '--unchecked');
  run('npx', ['vitest', 'run', ...args], { ...rounds, CHROME_PATH: findBrowser() });
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
  process.exit(1);
}
