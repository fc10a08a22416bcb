// `npm test`: builds what is stale, type-checks, lints, and runs tests of every kind in their short form. `npm run test:long`
// runs the others, `npm run test:hours` all with many more rounds, `--all` everything once.
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

/** How often tests that can go on for ever do so in `npm test`, and in hours; what the environment says goes first. */
const SHORT_ROUNDS = {
  CONVERSATION_STEPS: '50',
  FUZZ_ATTEMPTS: '70',
  HOSTILE_REQUESTS: '500',
  KILL_ROUNDS: '3',
  REALTIME_ROUNDS: '2',
  WEBHOOK_CRASH_ROUNDS: '4',
  WIRE_ROUNDS: '100',
};
const ROUNDS_OF_HOURS = {
  AGENT_KILL_ROUNDS: '50',
  API_RUNS: '50',
  AUDIT_KILL_ROUNDS: '50',
  CONVERSATION_STEPS: '10000',
  CUT_SECONDS: '60',
  DIFFERENTIAL_COUNT: '100000',
  FUZZ_ATTEMPTS: '10000',
  FUZZ_SEEDS: '100',
  HOSTILE_REQUESTS: '20000',
  KILL_ROUNDS: '500',
  NOTES_KILL_ROUNDS: '50',
  PLANNER_ROUNDS: '100',
  REALTIME_FRAMES: '10000',
  REALTIME_ROUNDS: '50',
  REALTIME_SCHEDULES: '100',
  SCHEDULES: '60',
  WEBHOOK_CRASH_ROUNDS: '200',
  WIRE_ROUNDS: '5000',
};

const ENVIRONMENTS = {
  short: { TEST_TIER: 'short', ...SHORT_ROUNDS },
  long: { TEST_TIER: 'long', FUZZ_SEEDS: '3' },
  hours: ROUNDS_OF_HOURS,
  all: {},
};

const FORMS = /** @type {const} */ (['long', 'hours', 'all']);
/** What is run, and for how long on two cores. */
const TOLD = {
  short: 'Tests of every kind in their short form, some 5 minutes on 2 cores; the others: npm run test:long',
  long: 'The tests that npm test leaves out, some 35 minutes on 2 cores',
  hours: 'All tests, those at random with many rounds: hours',
  all: 'All tests, some 40 minutes on 2 cores',
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
  const given = process.argv.slice(2);
  const form = FORMS.find((name) => given.includes(`--${name}`)) ?? 'short';
  const args = given.filter((arg) => ![...FORMS, 'unchecked'].some((name) => arg === `--${name}`));
  // Who names a file wants it, whichever form it belongs to.
  const isNamed = args.some((arg) => /^[^-].*[/.]/.test(arg));
  if (!isNamed) process.stdout.write(`${TOLD[form]}\n`);
  if (form !== 'short') tellMissingProxies();
  await buildStale();
  // For .ci/run, several of whose runs follow the one that checks.
  if (!given.includes('--unchecked')) run('npm', ['run', '--silent', 'check']);
  const env = isNamed ? {} : ENVIRONMENTS[form];
  run('npx', ['vitest', 'run', ...args], { ...env, ...process.env, CHROME_PATH: findBrowser() });
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
  process.exit(1);
}
