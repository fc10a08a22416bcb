import { defineConfig } from 'vitest/config';
import { EvenParts } from './vitest.parts.ts';
import { LONG_UNITS, SHORT_BROWSER, TIER, WITH_ROUNDS } from './vitest.tiers.ts';

/** The embedded database's own tests use no other; only its comparison with MongoDB needs one. */
const ONLY_EMBEDDED = ['server/embedded-mongodb/src/**', 'server/embedded-mongodb/test/*.test.ts'];

/** What stands in front of every database: bytes, proxies, sockets, files, a provider that is away, time on Parlor's thread. */
const BEFORE_DATABASES = [
  'server/test/proxies*.test.ts',
  'server/test/{arriving-bodies,broken-connections,checkout,connections,documents,examples,fuzz,fuzz-places}.test.ts',
  'server/test/{oidc-outage,oidc-way-back,request-target,widget-files,wire,wire-headers,wire-log}.test.ts',
  'server/src/features/accounts/import-{bounds,sizes}.test.ts',
  'server/test/realtime-{limits,slow,upgrades}.test.ts',
  'server/src/features/agent/llm/**',
  'server/src/openapi/**',
  '{shared,widget}/src/**',
];

/** Whole ways from a page to the database and back. Of the others the subject is the page, and one database will do. */
const WAYS = [
  'widget/test/{bot,proxy,schedules,sending,storage,talk}.browser.test.ts',
  'console/test/{inbox,inbox-answers,inbox-live,lead-deletion,leads,search}.test.ts',
  'demo/test/**/*.test.ts',
];

const ALL_BROWSER = ['widget/test/**/*.browser.test.ts', '{console,demo}/test/**/*.test.ts'];
/** What compares pictures or opens many pages at a time: it has a core to itself. */
const ALONE = ['widget/test/{pictures,schedules}.browser.test.ts', 'console/test/pictures.test.ts'];
const ALONE_ON_MONGODB = ['widget/test/schedules.browser.test.ts'];

/** `.ci/run` asks for the tests of the browser in two parts. */
const PART = process.env.BROWSER_TESTS as 'beside-others' | 'alone' | undefined;
const OF_PART = process.env.MONGODB_URL
  ? PART === 'alone'
    ? ALONE_ON_MONGODB
    : WAYS
  : PART === 'alone'
    ? ALONE
    : ALL_BROWSER;
const BROWSER = TIER === 'short' ? SHORT_BROWSER : OF_PART;

/** A test that asserts nothing, or only under a condition that did not hold, fails; waiting alone is no assertion. */
const EXPECT = {
  requireAssertions: true,
  // A second, as it is by itself, is too short on a machine that is busy with other things (milliseconds).
  poll: { timeout: 20_000 },
};

/** What CI says of a failure is its message: as it is by itself, that shows 40 characters of what came. */
const CHAI = { truncateThreshold: 2_000 };

/**
 * `units` needs no browser: logic, routes without a port, and the server in child processes. `browser` drives pages in Chromium.
 * Both use the database that MONGODB_URL names, else an embedded one of their own.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: EvenParts },
    projects: [
      {
        test: {
          name: 'units',
          include:
            TIER === 'long' ? [...LONG_UNITS, ...WITH_ROUNDS] : ['{shared,server,widget}/**/*.test.ts'],
          exclude: [
            '**/node_modules/**',
            '**/dist/**',
            '**/*.browser.test.ts',
            ...(TIER === 'short' ? LONG_UNITS : []),
            ...(process.env.MONGODB_URL ? [...ONLY_EMBEDDED, ...BEFORE_DATABASES] : []),
          ],
          globalSetup: ['server/test/database.setup.ts'],
          setupFiles: ['server/test/same-globals.setup.ts'],
          expect: EXPECT,
          chaiConfig: CHAI,
          // What a file imports is made once, and not anew for each: that took a third of the time.
          isolate: false,
          // Most tests wait for something now and then. In the long form each has the machine for itself.
          ...(TIER === 'short' && { maxWorkers: 2 }),
          sequence: { groupOrder: 0 },
          // Against what hangs: a machine that is busy with other things takes its time.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: BROWSER,
          exclude: [
            '**/node_modules/**',
            '**/dist/**',
            ...(TIER === 'long' ? SHORT_BROWSER : []),
            ...(PART === 'beside-others' ? ALONE : []),
          ],
          globalSetup: ['server/test/database.setup.ts'],
          setupFiles: ['server/test/same-globals.setup.ts'],
          expect: EXPECT,
          chaiConfig: CHAI,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // A browser and its server are two processes already; side by side they would only wait for a core.
          fileParallelism: false,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
