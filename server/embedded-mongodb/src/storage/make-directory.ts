import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { actAsOwnerOf } from './owner.ts';

/**
 * Makes a directory for one user only, and what is missing above it: this user, or where that is root, whoever owns the one
 * that it is made in. Node's own `recursive` never ends in places like /proc, where nothing can be made though everything
 * above exists.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  const beItself = actAsOwnerOf(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Somebody else may have made it in between.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    beItself();
  }
}
