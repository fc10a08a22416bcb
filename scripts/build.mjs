// Builds what is stale, and only that. `node scripts/build.mjs` prints what it does on stderr.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { oneBuild } from './one-build.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * What is built: from which files, into which folders, by which commands. A stamp in the first of them holds the hash
 * of the inputs. Types are not checked, which takes three times as long and needs packages that only development has:
 * "npm run check" does.
 * @type {readonly { name: string, inputs: string[], outputs: [string, ...string[]], commands: () => string[][] }[]}
 */
const TARGETS = [
  {
    name: 'server',
    inputs: [
      'package-lock.json',
      'tsconfig.base.json',
      'shared/src',
      'shared/tsconfig.json',
      'server/src',
      'server/bundle.mjs',
      'server/tsconfig.json',
      'server/embedded-mongodb/src',
      'server/embedded-mongodb/tsconfig.json',
    ],
    outputs: ['server/dist', 'server/embedded-mongodb/dist', 'shared/dist'],
    commands: () => [
      [packageFile('typescript', 'bin/tsc'), '-b', 'server', '--noCheck'],
      ['server/bundle.mjs'],
    ],
  },
  {
    name: 'widget',
    inputs: [
      'package-lock.json',
      'tsconfig.base.json',
      'shared/src',
      'widget/src',
      'widget/build.mjs',
      'widget/tsconfig.json',
    ],
    outputs: ['widget/dist', 'shared/dist'],
    commands: () => [['widget/build.mjs']],
  },
  {
    name: 'console',
    inputs: [
      'package-lock.json',
      'tsconfig.base.json',
      'shared/src',
      'console/src',
      'console/index.html',
      'console/build.mjs',
      'console/vite-parts.mjs',
      'console/tsconfig.json',
    ],
    outputs: ['console/dist'],
    commands: () => [['console/build.mjs']],
  },
];

/** @param {string} name @param {string} file */
const packageFile = (name, file) => {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), file);
  } catch {
    throw new Error(`${name} is not installed: run "npm ci" first`);
  }
};

/** @param {string} path @returns {string[]} the files under a path, in a stable order */
const filesUnder = (path) => {
  const whole = join(ROOT, path);
  if (!existsSync(whole)) return [];
  if (statSync(whole).isFile()) return [whole];
  return readdirSync(whole, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
};

/** @param {readonly string[]} inputs */
const hashOf = (inputs) => {
  const hash = createHash('sha256');
  for (const file of inputs.flatMap(filesUnder))
    hash.update(`\n${relative(ROOT, file)}\n`).update(readFileSync(file));
  return hash.digest('hex');
};

/** @param {string[]} args @param {AbortSignal | undefined} signal @returns {Promise<void>} */
const runNode = (args, signal) =>
  new Promise((resolve, reject) => {
    // What a build prints belongs to the log: stdout is for the line that says that Parlor is ready.
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 2, 2], signal });
    child.on('error', (error) => signal?.aborted || reject(error));
    child.on('exit', (code, ended) =>
      code === 0 ? resolve() : reject(new Error(`"node ${args.join(' ')}" ended with ${ended ?? code}`)),
    );
  });

/** @param {string} path @returns {boolean} whether this user may write there, or make it where it is not yet */
const isWritable = (path) => {
  const whole = join(ROOT, path);
  try {
    accessSync(existsSync(whole) ? whole : dirname(whole), constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/** @param {string} stamp */
const readStamp = (stamp) => {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return '';
  }
};

/**
 * Builds each target whose inputs have changed since it was built. What is built needs no writing: a service's user
 * may well have no right to.
 * @param {AbortSignal} [signal] ends it, and the compiler with it
 */
export const buildStale = async (signal) => {
  for (const { name, inputs, outputs, commands } of TARGETS) {
    const stamp = join(ROOT, outputs[0], '.stamp');
    const hash = hashOf(inputs);
    const built = readStamp(stamp);
    if (built === hash) continue;
    if (/[#?*]/.test(ROOT)) {
      throw new Error(
        `it is built by Vite, which takes no "#", "?" or "*" in the path of its folder: ${ROOT}`,
      );
    }
    const locked = outputs.find((path) => !isWritable(path));
    if (locked) {
      const why = built === '' ? 'is not built yet' : 'has changed since it was built';
      throw new Error(
        `the ${name} ${why}, and this user can't write ${join(ROOT, locked)}: run "npm run build" as who can`,
      );
    }
    await oneBuild(async () => {
      if (readStamp(stamp) === hash) return;
      const started = performance.now();
      process.stderr.write(`Building the ${name} …\n`);
      // One that is interrupted leaves a mixture: it is not what the sources of before were built to.
      rmSync(stamp, { force: true });
      for (const command of commands()) await runNode(command, signal);
      try {
        writeFileSync(stamp, hash);
      } catch {
        process.stderr.write(`${stamp} can't be written: the ${name} will be built again the next time\n`);
      }
      process.stderr.write(`Built the ${name} in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
    }, signal);
  }
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await buildStale().catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
}
