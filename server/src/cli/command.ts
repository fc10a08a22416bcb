import type { Services } from '../compose.ts';
import type { CommandFiles, Terminal } from './terminal.ts';

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
  /** Where there is no database it begins one; other commands refuse then. */
  mayBeNew?: true;
  /** What it does goes by the keys: a running server has to have those of whoever gives it. */
  byKeys?: true;
  /** The files that it reads and writes, which are the caller's. @param args with absolute paths */
  files?(args: readonly string[]): CommandFiles;
  /** The arguments with paths as they are meant where they were typed: absolute ones. */
  located?(args: readonly string[]): string[];
  /**
   * Reads the arguments, and gives what is to be done: before anything is opened or made.
   * @throws UsageError
   */
  prepare(args: string[]): (services: Services, terminal: Terminal) => Promise<void>;
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
