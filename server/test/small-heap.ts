import { join } from 'node:path';
import mongoose from 'mongoose';
import { onTestFinished } from 'vitest';
import { owner } from './rest.ts';
import { MAIN, serverSettings, startServerProcess } from './server-process.ts';

/**
 * A server with a small heap and an account, and the collections of its database: what would take a thousand requests to make
 * is put there at once.
 * @param mebibytes `--max-old-space-size`
 */
export const startWithHeap = async (mebibytes: number, env: Record<string, string> = {}) => {
  const settings = await serverSettings();
  const socket = join(settings.DATA_DIR ?? '', 'mongodb.sock');
  const server = await startServerProcess(
    {
      ...settings,
      ...(settings.DATA_DIR && { EMBEDDED_MONGODB_LISTEN: socket }),
      RATE_LIMIT: 'off',
      REGISTRATION: 'open',
      ...env,
    },
    [process.execPath, `--max-old-space-size=${mebibytes}`, MAIN],
  );
  const { token, rest } = await owner(server.url);
  const url = settings.MONGODB_URL ?? `mongodb://${encodeURIComponent(socket)}/parlor`;
  const connection = await mongoose.createConnection(url).asPromise();
  onTestFinished(() => connection.close());
  const collection = (name: string) => connection.collection<{ _id: string }>(name);
  const { _id: account } = (await collection('accounts').findOne({ username: 'ada' } as object)) ?? {};
  return { server, token, rest, collection, account };
};
