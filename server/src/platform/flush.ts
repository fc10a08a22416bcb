import { open } from 'node:fs/promises';

/** Writes a file or folder down for good; Windows flushes no folders. */
export const flush = async (path: string): Promise<void> => {
  const handle = await open(path, 'r').catch((error) => {
    if (process.platform === 'win32') return undefined;
    throw error;
  });
  await handle?.sync().finally(() => handle.close());
};
