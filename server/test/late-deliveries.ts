import { onTestFinished, vi } from 'vitest';
import type { TestApp } from './app.ts';

/**
 * Holds up the deliveries of an app, as of a relay that is far behind; its own searches go on.
 * @returns `asked` counts what waits for its webhooks, `release` lets it go on, as the end of the test does
 */
export const holdDeliveries = (app: TestApp): { asked(): number; release(): void } => {
  const { collection } = app.services.models.webhooks;
  let release = (): void => undefined;
  const isThere = new Promise<void>((resolve) => {
    release = resolve;
  });
  const find = collection.find.bind(collection) as (...given: unknown[]) => { toArray(): Promise<unknown> };
  const late = (...given: [filter: object]) =>
    'events.at' in given[0]
      ? find(...given)
      : { toArray: () => isThere.then(() => find(...given).toArray()) };
  const spy = vi.spyOn(collection, 'find').mockImplementation(late as never);
  onTestFinished(() => {
    release();
    spy.mockRestore();
  });
  return {
    asked: () => spy.mock.calls.filter(([filter]) => !('events.at' in (filter as object))).length,
    release,
  };
};
