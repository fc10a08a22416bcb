import { vi } from 'vitest';
import type { TestApp } from './app.ts';

/** The account's newest keyword notification, once it has been raised. */
export const notificationFor = (app: TestApp, token: string) =>
  vi.waitFor(
    async () => {
      const [newest] = (await app.request('GET', '/api/v1/keyword_notifications/', { token })).json;
      if (!newest) throw new Error('none has been raised yet');
      return newest;
    },
    { timeout: 60_000, interval: 20 },
  );
