import { onTestFinished, vi } from 'vitest';

/**
 * Counts how many calls of a method run at the same time. Each takes some milliseconds longer, so that those that nothing keeps
 * apart meet; the method itself is called as ever until the test ends.
 */
export const mostAtOnce = <T extends object>(
  owner: T,
  method: keyof T & string,
): { calls(): number; most(): number } => {
  let [calls, running, most] = [0, 0, 0];
  const original = owner[method] as (...given: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(owner as Record<string, () => unknown>, method).mockImplementation(async function (
    this: unknown,
    ...given: unknown[]
  ) {
    calls++;
    most = Math.max(most, ++running);
    try {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return await original.apply(this, given);
    } finally {
      running--;
    }
  });
  onTestFinished(() => spy.mockRestore());
  return { calls: () => calls, most: () => most };
};
