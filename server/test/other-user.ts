import { spawnSync } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { CLI } from './command-line.ts';
import { MAIN } from './server-process.ts';

/** On most systems that of `nobody`. */
export const OTHER_USER = 65_534;

const as = (entry: string): [string, ...string[]] => {
  const become = `process.setgroups([]); process.setgid(${OTHER_USER}); process.setuid(${OTHER_USER});`;
  return [process.execPath, '-e', `${become} import(${JSON.stringify(entry)})`];
};

/** The built server, as a service of another user runs it. */
export const SERVER_OF_OTHER = as(MAIN);

/** Whether these tests may act as another user, who may read what is built. */
export const canBeOther = (): boolean =>
  process.geteuid?.() === 0 &&
  spawnSync(process.execPath, ['--check', CLI], { uid: OTHER_USER }).status === 0;

/** Gives a folder to the other user. */
export const giveToOther = (folder: string): Promise<void> => chown(folder, OTHER_USER, OTHER_USER);
