import { onLeave } from '../ui/leaving.ts';

/** The last request about each name, as of a conversation, that is under way or waits. */
const last = new Map<string, Promise<unknown>>();

/** Those that wait. */
const waiting = new Set<() => void>();

const askNow = (): void => {
  for (const go of waiting) go();
};

// A page that is hidden may never be seen again.
onLeave(askNow);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') askNow();
});

const after = (others: readonly Promise<unknown>[]): Promise<void> =>
  new Promise((resolve) => {
    waiting.add(resolve);
    void Promise.all(others).then(() => {
      waiting.delete(resolve);
      resolve();
    });
  });

/**
 * Asks for a change when those about the same names that were asked for before have been answered: on connections of their own one
 * may overtake another, and what was set first would stay.
 * @throws what `request` throws
 */
export const inTurn = <T>(names: readonly string[], request: () => Promise<T>): Promise<T> => {
  const others = names.flatMap((name) => last.get(name) ?? []);
  const isHidden = document.visibilityState === 'hidden';
  const asked = others.length === 0 || isHidden ? request() : after(others).then(request);
  const settled = asked.then(
    () => undefined,
    () => undefined,
  );
  for (const name of names) last.set(name, settled);
  void settled.then(() => {
    for (const name of names) if (last.get(name) === settled) last.delete(name);
  });
  return asked;
};

/** Waits until all changes that were asked for are answered. */
export const settleChanges = async (): Promise<void> => {
  await Promise.all(last.values());
};
