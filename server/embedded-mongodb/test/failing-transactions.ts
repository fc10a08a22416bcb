import { vi } from 'vitest';
import type { Environment } from '../src/storage/environment.ts';

/**
 * Has each transaction fail by another write that shares it, so that its writes are run again, each alone. Until
 * `vi.restoreAllMocks`.
 * @returns how often that was
 */
export function failingTransactions(environment: Environment): () => number {
  const write = environment.write.bind(environment);
  let failed = 0;
  vi.spyOn(environment, 'write').mockImplementation((run) => {
    const result = write(run);
    const fails = () => {
      throw new Error('not a fault of what shares the transaction');
    };
    void write(fails).catch(() => failed++);
    return result;
  });
  return () => failed;
}
