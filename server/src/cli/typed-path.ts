import { resolve } from 'node:path';

/** Where a path was meant that was typed: npm changes to the folder of its package.json, and says from which one. */
const typedPath = (path: string, { npm_lifecycle_event, INIT_CWD = '' }: NodeJS.ProcessEnv): string =>
  resolve(npm_lifecycle_event === 'parlor' ? INIT_CWD : '', path);

/**
 * Arguments of a command with the paths among them as absolute ones.
 * @param first the place of the first path; all after it are paths, too
 */
export const locatedFrom =
  (first: number) =>
  (args: readonly string[], env: NodeJS.ProcessEnv = process.env): string[] =>
    args.map((arg, i) =>
      // An empty one would be the folder that it was typed in; it is refused, as an option is.
      i < first || arg === '' || arg.startsWith('-') ? arg : typedPath(arg, env),
    );
