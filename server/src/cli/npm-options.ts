import { findCommand } from './command.ts';

/** Options that npm has, too: they may be set for it, by an .npmrc or an environment as of a CI. */
const OF_NPM = ['--yes'];

const optionsOf = (usage: string): string[] => usage.match(/--[a-z-]+/g) ?? [];

/**
 * The line that refuses a command of `npm run parlor` whose options npm took for its own, since no `--` stood before them; it
 * hands those on as `npm_config_…`. Undefined when it took none of ours. Of npm's own options only those of the command
 * itself count, where they are not among its arguments.
 */
export const takenByNpm = (
  commands: Readonly<Record<string, { usage: string }>>,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): string | undefined => {
  if (env.npm_lifecycle_event !== 'parlor') return undefined;
  const isTaken = (option: string): boolean => {
    const value = env[`npm_config_${option.slice(2).replaceAll('-', '_')}`] ?? '';
    return !['', 'false', 'null', 'undefined'].includes(value) && !words.includes(option);
  };
  const own = optionsOf(findCommand(commands, words)?.[0].usage ?? '');
  const all = Object.values(commands).flatMap(({ usage }) => optionsOf(usage));
  const taken = all.find((option) => (own.includes(option) || !OF_NPM.includes(option)) && isTaken(option));
  if (taken === undefined) return undefined;
  const line = `npm run --silent parlor -- ${words.join(' ')}`;
  // One that was set for npm says nothing of whether the "--" stands.
  const mend = OF_NPM.includes(taken)
    ? `put it behind the "--", as in "${line} ${taken}"`
    : `put "--" first, as in "${line} …"`;
  return `${taken} is npm's as it stands, and the command has not seen it: ${mend}`;
};
