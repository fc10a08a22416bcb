import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * A package that is loaded, at once, by whoever asks for it first: a start pays for nothing that it may never need.
 * @param name of a package that the server depends on
 */
export const loadLater = <T>(name: string): (() => T) => {
  let loaded: T | undefined;
  return () => {
    loaded ??= require(name) as T;
    return loaded;
  };
};
