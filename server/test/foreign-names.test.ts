import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const NOT_OURS = new Set(['node_modules', 'dist', '.git', 'data', 'coverage', 'test-results']);
const TEXT = /\.(md|ts|tsx|mjs|js|json|html|yml|yaml|conf|sh)$|\/\.ci\//;

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (NOT_OURS.has(entry.name)) return [];
    return entry.isDirectory() ? filesUnder(path) : TEXT.test(path) ? [path] : [];
  });

/** What asks the public registry for a name, and runs what it gets, where nothing here has that name. */
const RUNS = new RegExp(
  String.raw`\b(?:npx|bunx|(?:npm|pnpm|yarn) (?:exec|x|dlx|create|init)|(?:npm|pnpm|yarn) (?:i|install|add|global add)(?= [^\n]*(?:-g\b|--global\b)))` +
    String.raw`(?:['"\x60,[\]()\s]+-{1,2}[\w-]*)*['"\x60,[\]()\s]+(?<name>@?[a-z][\w./-]*)`,
  'g',
);

const namesRun = (text: string): string[] => [...text.matchAll(RUNS)].map(({ groups }) => groups?.name ?? '');

/**
 * The packages that package.json files name, with the commands that those bring. The command of a package of this repository
 * is built after the install, which then has not linked it.
 */
const ours = (): Set<string> => {
  const names = new Set<string>();
  const manifests = filesUnder(ROOT).filter((path) => path.endsWith('/package.json'));
  for (const manifest of manifests) {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      names.add(name);
      const folder = join(ROOT, 'node_modules', name);
      if (!existsSync(folder) || lstatSync(folder).isSymbolicLink()) continue;
      const { bin = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      for (const command of Object.keys(typeof bin === 'string' ? {} : bin)) names.add(command);
    }
  }
  return names;
};

it('finds the names that are run', () => {
  // Put together here, so that this file does not run them itself.
  const NPX = ['np', 'x'].join('');
  const run = (command: string, ...rest: string[]) => [command, ...rest].join(' ');
  const text = [
    run(NPX, 'one ./data'),
    run(NPX, '--yes @scope/two'),
    run('npm', 'exec -- three'),
    run('npm', 'i -g four'),
    run('npm', 'install --global five'),
    run('npm', 'install six'),
    `run('${NPX}', ['seven', 'run'])`,
  ];
  expect(text.flatMap(namesRun)).toEqual(['one', '@scope/two', 'three', 'four', 'five', 'seven']);
});

it('runs nothing by a name that is not in a package.json, which anybody could register', () => {
  const allowed = ours();
  const foreign = filesUnder(ROOT).flatMap((path) =>
    namesRun(readFileSync(path, 'utf8')).flatMap((name) =>
      allowed.has(name) ? [] : [`${relative(ROOT, path)}: ${name}`],
    ),
  );
  expect(foreign).toEqual([]);
  expect(allowed).toContain('vitest');
});
