import { loadConfig } from '../src/platform/config.ts';
import { createLog } from '../src/platform/log.ts';
import { startServer } from '../src/server.ts';

/**
 * The same server inside of the tests' own process, for what a database is to hold before the start or the command that a
 * test is about: a process of its own costs many times as much. Closed, its database is there for whoever comes next.
 */
export const withServerHere = async <T>(
  settings: Record<string, string>,
  run: (url: string) => Promise<T>,
): Promise<T> => {
  const config = loadConfig({ WEBHOOK_ALLOW_PRIVATE: 'true', ...settings });
  const { url, stop } = await startServer(config, createLog('silent'), async () => undefined);
  try {
    return await run(url);
  } finally {
    await stop();
  }
};
