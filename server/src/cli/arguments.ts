/** The command line was not understood; the text says what was expected. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Behind it nothing is an option, so that a name may begin with `-`. */
export const END_OF_OPTIONS = '--';

/** How many arguments stand before the end of options, or all. */
const optionsEnd = (args: readonly string[]): number => {
  const at = args.indexOf(END_OF_OPTIONS);
  return at === -1 ? args.length : at;
};

/** Where an option stands; -1 where it does not. */
const indexOfOption = (args: readonly string[], name: string): number =>
  args.slice(0, optionsEnd(args)).indexOf(name);

/** All arguments but the end of options. */
export const plainArguments = (args: readonly string[]): string[] => {
  const end = optionsEnd(args);
  return [...args.slice(0, end), ...args.slice(end + 1)];
};

/** Exactly the arguments that a command takes, none of them empty, as an unset variable of a script is. @throws UsageError */
export const takeArguments = (args: readonly string[], ...names: string[]): string[] => {
  const unknown = args.slice(0, optionsEnd(args)).find((arg) => arg.startsWith('-'));
  if (unknown)
    throw new UsageError(`unknown option ${unknown} (a name that begins with "-" goes behind "--")`);
  const given = plainArguments(args);
  const missing = names[given.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const empty = names.find((_, i) => given[i] === '');
  if (empty !== undefined) throw new UsageError(`${empty} is empty`);
  if (given.length > names.length) throw new UsageError(`too many arguments: ${given[names.length]}`);
  return given;
};

/** Takes `--name` out of the arguments, and says whether it was there. @throws UsageError where it was twice */
export const takeFlag = (args: string[], name: string): boolean => {
  const at = indexOfOption(args, name);
  if (at !== -1) args.splice(at, 1);
  refuseSecond(args, name);
  return at !== -1;
};

const refuseSecond = (rest: readonly string[], name: string): void => {
  if (indexOfOption(rest, name) !== -1) throw new UsageError(`${name} is given twice`);
};

/** Takes `--name VALUE` out of the arguments; undefined when it is not there. @throws UsageError */
export const takeOption = (args: string[], name: string): string | undefined => {
  const at = indexOfOption(args, name);
  if (at === -1) return undefined;
  if (at + 1 === optionsEnd(args)) throw new UsageError(`${name} needs a value`);
  const [, value] = args.splice(at, 2);
  refuseSecond(args, name);
  return value;
};
