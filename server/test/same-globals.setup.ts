import { afterAll } from 'vitest';

/**
 * What tests replace for a while. Files share a process (`isolate: false`): what one of them leaves replaced makes others
 * fail that have nothing to do with it, one time limit after another.
 */
const NAMES = [
  'Date',
  'clearInterval',
  'clearTimeout',
  'fetch',
  'performance',
  'setImmediate',
  'setInterval',
  'setTimeout',
] as const;

const KEPT = Symbol.for('parlor.test.globals');

const current = () => Object.fromEntries(NAMES.map((name) => [name, globalThis[name]]));

const shared = globalThis as { [KEPT]?: Record<string, unknown> };
shared[KEPT] ??= current();
const real = shared[KEPT];

const check = (when: string) => {
  const now = current();
  const left = NAMES.filter((name) => now[name] !== real[name]);
  Object.assign(globalThis, real);
  if (left.length > 0) throw new Error(`${when} has left replaced: ${left.join(', ')}`);
};

// Spies are put back between two files, and may put back what they found: what another one had replaced.
check('A file that ran before');
afterAll(() => check('This file'));
