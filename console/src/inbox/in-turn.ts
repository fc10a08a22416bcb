/** The last change of each conversation that is under way or waits. */
const last = new Map<string, Promise<unknown>>();

/** Those that wait. */
const waiting = new Set<() => void>();

// A page that is left asks for nothing later.
addEventListener('pagehide', () => {
  for (const go of waiting) go();
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
 * Asks for a change of conversations when those of them that were asked for before have been answered: on connections of their own
 * one may overtake another, and what was set first would stay.
 * @throws what `request` throws
 */
export const inTurn = <T>(uuids: readonly string[], request: () => Promise<T>): Promise<T> => {
  const others = uuids.flatMap((uuid) => last.get(uuid) ?? []);
  const asked = others.length === 0 ? request() : after(others).then(request);
  const settled = asked.then(
    () => undefined,
    () => undefined,
  );
  for (const uuid of uuids) last.set(uuid, settled);
  void settled.then(() => {
    for (const uuid of uuids) if (last.get(uuid) === settled) last.delete(uuid);
  });
  return asked;
};

/** Waits until all changes that were asked for are answered. */
export const settleChanges = async (): Promise<void> => {
  await Promise.all(last.values());
};
