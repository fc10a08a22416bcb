import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'chrome.exe',
];

const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

const installed = () =>
  [
    ...(process.env.PATH ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name))),
    ...PLACES,
  ].find((file) => existsSync(file));

const isDebianRoot = () => process.getuid?.() === 0 && existsSync('/etc/debian_version');

/**
 * The browser for the tests: the one that CHROME_PATH names, else an installed Chrome or Chromium, else, as root
 * on Debian, the package chromium, which is installed.
 * @returns {string} the path of its program
 * @throws {Error} that says what to install
 */
export const findBrowser = () => {
  const named = process.env.CHROME_PATH;
  if (named) {
    if (existsSync(named)) return named;
    throw new Error(`CHROME_PATH is ${named}, but there is no such file`);
  }
  const found = installed();
  if (found) return found;
  if (isDebianRoot()) {
    process.stderr.write('Installing Chromium for the browser tests …\n');
    /** @type {import('node:child_process').ExecFileSyncOptions} */
    const options = { stdio: ['ignore', 2, 2] };
    execFileSync('apt-get', ['update', '-qq'], options);
    execFileSync('apt-get', ['install', '-y', '-qq', 'chromium'], options);
    const now = installed();
    if (now) return now;
  }
  throw new Error(
    'The browser tests need Chrome or Chromium: install one, or set CHROME_PATH to its program',
  );
};
