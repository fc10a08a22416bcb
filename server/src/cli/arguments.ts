/** The command line was not understood; the text says what was expected. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Exactly the arguments that a command takes, none of them empty, as an unset variable of a script is. @throws UsageError */
export const takeArguments = (args: readonly string[], ...names: string[]): string[] => {
  const unknown = args.find((arg) => arg.startsWith('-'));
  if (unknown) throw new UsageError(`unknown option ${unknown}`);
  const missing = names[args.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const empty = names.find((_, i) => args[i] === '');
  if (empty !== undefined) throw new UsageError(`${empty} is empty`);
  if (args.length > names.length) throw new UsageError(`too many arguments: ${args[names.length]}`);
  return [...args];
};

/** Takes `--name` out of the arguments, and says whether it was there. @throws UsageError where it was twice */
export const takeFlag = (args: string[], name: string): boolean => {
  const at = args.indexOf(name);
  if (at !== -1) args.splice(at, 1);
  refuseSecond(args, name);
  return at !== -1;
};

const refuseSecond = (rest: readonly string[], name: string): void => {
  if (rest.includes(name)) throw new UsageError(`${name} is given twice`);
};

/** Takes `--name VALUE` out of the arguments; undefined when it is not there. @throws UsageError */
export const takeOption = (args: string[], name: string): string | undefined => {
  const at = args.indexOf(name);
  if (at === -1) return undefined;
  const [, value] = args.splice(at, 2);
  if (value === undefined) throw new UsageError(`${name} needs a value`);
  refuseSecond(args, name);
  return value;
};
