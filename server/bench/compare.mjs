// `npm run bench:compare -- REV [NAMES]`: the server's benches of an older revision and of this checkout, in turn, so that a
// machine whose speed drifts treats both alike. Each revision runs its own: what has the same name has to put the same load.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, spread } from './ratio.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** How often each revision runs its benches. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);

/** How many columns the name of a figure has. */
const NAME_COLUMNS = 36;

/** What interrupts it, once; the reason is the signal. */
const interrupted = new AbortController();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.on(signal, () => interrupted.abort(signal));

/**
 * Runs a command to its end.
 * @param {string} cwd @param {string} command @param {string[]} args
 * @param {AbortSignal} [until] ends it, and all that it has started
 * @returns {Promise<string>} what it wrote on stdout
 */
const run = async (cwd, command, args, until) => {
  until?.throwIfAborted();
  // In a group of its own: Ctrl+C reaches this program alone, which clears up before it ends.
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 2],
    detached: true,
  });
  const end = () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGTERM');
    } catch {
      // It has just ended by itself.
    }
  };
  until?.addEventListener('abort', end);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  const [code, signal] = await once(child, 'close');
  until?.removeEventListener('abort', end);
  until?.throwIfAborted();
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} in ${cwd} ended with ${signal ?? code}\n${text}`);
  return text;
};

/**
 * The figures of what a bench prints, by line and what stands before each; without the spreads and the goals.
 * @param {string} output
 * @returns {Map<string, number>}
 */
const figuresOf = (output) => {
  const figures = new Map();
  for (const line of output.split('\n')) {
    const name = line.slice(0, NAME_COLUMNS).trim();
    const said = line
      .slice(NAME_COLUMNS)
      .replace(/ goal .*$/, '')
      .replace(/ \([\d.]+–[\d.]+\)/g, '');
    for (const [, before = '', figure, unit = ''] of said.matchAll(
      /((?:\bp\d+\b|\D)*)(\d+(?:\.\d+)?)((?:\/s| ms| kB| s| %)?)/g,
    )) {
      const words = before
        .replace(/[();,]/g, ' ')
        .trim()
        .replace(/\s+/g, ' ');
      const label = [`${name}:`, words, unit.trim()].filter((part) => part !== '').join(' ');
      figures.set(figures.has(label) ? `${label}, the other` : label, Number(figure));
    }
  }
  return figures;
};

/**
 * Prints how the figures of the rounds changed: pairs of one round are compared, since they have the same minutes.
 * @param {Map<string, number>[]} before @param {Map<string, number>[]} after
 */
const report = (before, after) => {
  for (const name of before[0]?.keys() ?? []) {
    const pairs = before.map((round, i) => [round.get(name), after[i]?.get(name)]);
    const whole = pairs.filter((pair) => pair.every((figure) => figure !== undefined && figure > 0));
    if (whole.length < ROUNDS) continue;
    const [olds, news] = [0, 1].map((side) => whole.map((pair) => Number(pair[side])));
    const ratios = whole.map(([was, is]) => Number(is) / Number(was));
    console.log(
      `${name.padEnd(64)} ratio ${spread(ratios, 2)}   ${median(news ?? [])} against ${median(olds ?? [])}`,
    );
  }
};

const [revision, ...names] = process.argv.slice(2);
if (!revision) {
  process.stderr.write('usage: npm run bench:compare -- REV [NAMES]\n');
  process.exit(1);
}
/** The worktree, and whatever else the runs make: it goes when they end. */
const folder = await mkdtemp(join(tmpdir(), 'parlor-bench-'));
const old = join(folder, 'old');
const { signal } = interrupted;
try {
  await run(ROOT, 'git', ['worktree', 'add', '--detach', old, revision], signal);
  await run(old, 'npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], signal);
  /** @type {Map<string, number>[][]} */
  const rounds = [[], []];
  for (const tree of [old, ROOT]) await run(tree, process.execPath, ['scripts/build.mjs'], signal);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [side, tree] of [old, ROOT].entries()) {
      const output = await run(tree, process.execPath, ['server/bench/run.mjs', ...names], signal);
      process.stderr.write(
        `${side === 0 ? revision : 'this checkout'}, ${round + 1} of ${ROUNDS}:\n${output}`,
      );
      rounds[side]?.push(figuresOf(output));
    }
  }
  console.log(`This checkout against ${revision}, ${ROUNDS} rounds in turn:`);
  report(rounds[0] ?? [], rounds[1] ?? []);
} catch (error) {
  if (!signal.aborted) throw error;
} finally {
  await run(ROOT, 'git', ['worktree', 'remove', '--force', old]).catch(() => undefined);
  // What was told to end may still be writing.
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
if (signal.aborted) process.exitCode = 128 + constants.signals[signal.reason];
