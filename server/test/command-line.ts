import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The built command line's entry. */
export const CLI = fileURLToPath(new URL('../dist/bundle/cli.js', import.meta.url));

/** Runs a command in a process of its own, with nothing of the surrounding environment, and leaves its stdin open. */
export const startCommand = (env: Record<string, string>, args: readonly string[]) => {
  const child = spawn(process.execPath, [CLI, ...args], { env: { PATH: process.env.PATH, ...env } });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const result = Promise.all([text(child.stdout), text(child.stderr), ended]).then(([out, err, code]) => ({
    code,
    out,
    err,
  }));
  return { child, result };
};

/** The same, with all of its stdin. */
export const spawnCommand = (
  env: Record<string, string>,
  args: readonly string[],
  input: string | Buffer = '',
) => {
  const started = startCommand(env, args);
  started.child.stdin.end(input);
  return started;
};
