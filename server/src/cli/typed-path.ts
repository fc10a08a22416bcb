import { resolve } from 'node:path';
import { END_OF_OPTIONS } from './arguments.ts';

/** Where a path was meant that was typed: npm changes to the folder of its package.json, and says from which one. */
const typedPath = (path: string, { npm_lifecycle_event, INIT_CWD = '' }: NodeJS.ProcessEnv): string =>
  resolve(npm_lifecycle_event === 'parlor' ? INIT_CWD : '', path);

/**
 * Arguments of a command with the paths among them as absolute ones.
 * @param first the place of the first path; all after it are paths, too
 */
export const locatedFrom =
  (first: number) =>
  (args: readonly string[], env: NodeJS.ProcessEnv = process.env): string[] => {
    const end = args.indexOf(END_OF_OPTIONS);
    const isBehind = (i: number) => end !== -1 && i > end;
    return args.map((arg, i) => {
      const isName = (isBehind(i) ? i - 1 : i) < first || i === end;
      // An empty one would be the folder that it was typed in; it is refused, as an option is.
      const isRefused = arg === '' || (arg.startsWith('-') && !isBehind(i));
      return isName || isRefused ? arg : typedPath(arg, env);
    });
  };
