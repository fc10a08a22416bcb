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
