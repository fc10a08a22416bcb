// What the runs of the tests found: `report.mjs FAILED_STEPS RESULT.json…`, and `N passed, N failed` as the last line.
//
// Tests run side by side on a busy machine, and some of thousands take its slowness for a fault. A file that failed is
// therefore run again, alone: when it passes three times, it is reported as FLAKY, with what it said, and not as failed.
// Nothing is excused where one failure in a thousand runs would be a message lost, doubled, or seen by somebody else.
// A test that no run has run is named, and counts as failed where it is one behind a proxy or on a full disk.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { findBrowser } from '../widget/test/find-browser.mjs';

const TIMES = 3;

/** More than these is no chance. */
const MOST_FILES = 5;

const NEVER_EXCUSED =
  /kill|crash|acknowledged|fault|outage|processes|seeded|schedule|erasure|tenancy|full-disk|frozen|backup|secret-key|data-map|wire|proxies\.test/;

const MESSAGE_CHARACTERS = 1500;

/** Of what a run printed whose errors belong to no test. */
const OUTPUT_CHARACTERS = 6000;

/** So many failures of one run have one cause: it is broken off (`--bail` in .ci/run), and what follows has not run. */
const BROKEN_OFF_AT = 12;

const [steps = '0', ...names] = process.argv.slice(2);

const files = names
  .filter((name) => existsSync(name))
  .flatMap((name) => {
    const run = basename(name, '.json');
    return JSON.parse(readFileSync(name, 'utf8')).testResults.map((result) => {
      const failed = result.assertionResults.filter(({ status }) => status === 'failed');
      return {
        run,
        file: relative('.', result.name),
        passed: result.assertionResults.filter(({ status }) => status === 'passed').length,
        names: result.assertionResults.map(({ status, fullName }) => ({ status, fullName })),
        // A file that could not be read, or whose hooks failed, has no failed test.
        failed: result.status === 'failed' ? Math.max(1, failed.length) : 0,
        messages:
          failed.length > 0
            ? failed.map(({ fullName, failureMessages }) => `${fullName}\n${failureMessages.join('\n')}`)
            : [result.message],
      };
    });
  });

/** @param run `embedded-units`, `mongodb-browser-2` and the like */
const passesAlone = ({ run, file }) => {
  const project = run.includes('browser') ? 'browser' : 'units';
  const { MONGODB_URL, MONGODB_COMMAND, ...rest } = process.env;
  const env = {
    ...rest,
    CHROME_PATH: findBrowser(),
    ...(run.startsWith('mongodb') ? { MONGODB_URL, MONGODB_COMMAND } : {}),
  };
  for (let time = 1; time <= TIMES; time++) {
    console.log(`=== ${file} (${run}) again, alone, ${time} of ${TIMES}`);
    if (
      spawnSync('npx', ['vitest', 'run', '--project', project, file], { env, stdio: 'inherit' }).status !== 0
    )
      return false;
  }
  return true;
};

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

const broken = files.filter(({ failed }) => failed > 0);
const isBrokenOff = names.some(
  (name) =>
    sum(broken.filter(({ run }) => run === basename(name, '.json')).map(({ failed }) => failed)) >=
    BROKEN_OFF_AT,
);
const mayBeChance = broken.length <= MOST_FILES && !isBrokenOff;
const flaky = broken.filter((one) => mayBeChance && !NEVER_EXCUSED.test(one.file) && passesAlone(one));

// Once more at the end: of a long log, often only the end is kept.
for (const one of broken)
  for (const message of one.messages)
    console.log(
      `${flaky.includes(one) ? 'FLAKY' : 'FAILED'} in ${one.run}: ${one.file} > ${message.slice(0, MESSAGE_CHARACTERS)}`,
    );

/** @param name the file with the results of a run, beside which stands what it printed */
const errorsOutsideTests = (name) => {
  const output = stripVTControlCharacters(readFileSync(name.replace(/json$/, 'output'), 'utf8'));
  const at = output.search(/^⎯+ Unhandled/m);
  return at < 0 ? output.slice(-OUTPUT_CHARACTERS) : output.slice(at, at + OUTPUT_CHARACTERS);
};

/** Runs that failed though each of their tests passed: an error that nobody caught, a process that died. */
const brokenRuns = names.filter((name) => {
  const run = basename(name, '.json');
  const status = readFileSync(name.replace(/json$/, 'status'), 'utf8').trim();
  return status !== '0' && !broken.some((one) => one.run === run);
});
for (const name of brokenRuns)
  console.log(`FAILED in ${basename(name, '.json')}, outside of its tests:\n${errorsOutsideTests(name)}`);

/** Needs what CI installs, or a small disk: the others need a language or a user that a machine may not have. */
const HAS_TO_RUN = /\/(proxies[^/]*|full-disk[^/]*|backup-targets)\.test\.ts > /;

/** What is skipped on one database runs on the other, and what is skipped on both runs nowhere. */
const ran = new Set();
const skipped = new Set();
for (const { file, names } of files)
  for (const { status, fullName } of names)
    (status === 'passed' || status === 'failed' ? ran : skipped).add(`${file} > ${fullName}`);
const notRun = [...skipped].filter((name) => !ran.has(name));
const missed = notRun.filter((name) => HAS_TO_RUN.test(name));
for (const name of notRun)
  console.log(`${missed.includes(name) ? 'FAILED' : 'Not counted'}, since no run has run it: ${name}`);

const passed = sum(files.map(({ passed }) => passed)) + sum(flaky.map(({ failed }) => failed));
const failed =
  Number(steps) +
  brokenRuns.length +
  missed.length +
  sum(broken.filter((one) => !flaky.includes(one)).map(({ failed }) => failed));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
