import type { Services } from '../compose.ts';
import type { CommandFiles, Terminal } from './terminal.ts';

/** The command line was not understood; the text says what was expected. */
export class UsageError extends Error {
  override name = 'UsageError';
}

interface Described {
  /** Its words and arguments, as the help shows them. */
  usage: string;
  meaning: string;
}

/** A command of `npm run parlor --` that runs in the process that was asked. */
export interface Command extends Described {
  run(args: string[]): Promise<void>;
}

/** A command that runs where the database is open: in the server that runs on it, else in the process that was asked. */
export interface ServiceCommand extends Described {
  /** The files that it reads and writes, which are the caller's. */
  files?(args: readonly string[]): CommandFiles;
  /** The arguments with paths as they are meant where they were typed. */
  located?(args: readonly string[]): string[];
  run(args: string[], services: Services, terminal: Terminal): Promise<void>;
}

/** The command that the first words name, and the arguments after them. */
export const findCommand = <T>(
  commands: Readonly<Record<string, T>>,
  words: readonly string[],
): [command: T, args: string[]] | undefined => {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ');
    if (Object.hasOwn(commands, name)) return [commands[name] as T, words.slice(length)];
  }
  return undefined;
};

/** Exactly the arguments that a command takes. */
export const takeArguments = (args: readonly string[], ...names: string[]): string[] => {
  const unknown = args.find((arg) => arg.startsWith('-'));
  if (unknown) throw new UsageError(`unknown option ${unknown}`);
  const missing = names[args.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  if (args.length > names.length) throw new UsageError(`too many arguments: ${args[names.length]}`);
  return [...args];
};

/** Takes `--name` out of the arguments, and says whether it was there. */
export const takeFlag = (args: string[], name: string): boolean => {
  const at = args.indexOf(name);
  if (at !== -1) args.splice(at, 1);
  return at !== -1;
};

/** Takes `--name VALUE` out of the arguments; undefined when it is not there. */
export const takeOption = (args: string[], name: string): string | undefined => {
  const at = args.indexOf(name);
  if (at === -1) return undefined;
  const [, value] = args.splice(at, 2);
  if (value === undefined) throw new UsageError(`${name} needs a value`);
  return value;
};

const SHOWN_AFTER_MS = 1_000;
const SHOWN_EVERY_MS = 200;
const LOGGED_EVERY_MS = 30_000;

/** How far something is that takes a while. */
export interface Progress {
  show(state: string): void;
  /** Takes away what a terminal shows; to be called before anything else is printed, and at the end. */
  end(): void;
}

/** On a terminal one line that changes, from the first second on; in a log, a line every 30 s. */
export const createProgress = (
  out: Pick<typeof process.stderr, 'isTTY' | 'write'> = process.stderr,
): Progress => {
  let last = Date.now() - (out.isTTY ? SHOWN_EVERY_MS - SHOWN_AFTER_MS : 0);
  let isShown = false;
  return {
    show(state) {
      const now = Date.now();
      if (now - last < (out.isTTY ? SHOWN_EVERY_MS : LOGGED_EVERY_MS)) return;
      last = now;
      isShown = out.isTTY;
      out.write(out.isTTY ? `\r\u001b[K${state} …` : `${state} …\n`);
    },
    end() {
      if (isShown) out.write('\r\u001b[K');
      isShown = false;
    },
  };
};

/** One line of result on stdout. */
export const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
