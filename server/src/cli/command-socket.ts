import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { listenOnPrivateSocket } from '@parlor/embedded-mongodb';

const NAME = 'commands.sock';

/** The system cuts off longer paths; a socket is made in a folder beside its place first. */
const MAX_PATH_BYTES = 90;

/**
 * The socket by which the command line reaches the server that has DATA_DIR open, by a path that is short enough.
 * Linux reaches any folder through an open descriptor of it, which has to stay open as long as the path is used;
 * undefined where there is no such way, and on Windows, whose pipes have no mode.
 */
const shortPath = (dataDir: string): { path: string; release(): void } | undefined => {
  if (process.platform === 'win32') return undefined;
  const path = join(resolve(dataDir), NAME);
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return { path, release: () => undefined };
  if (process.platform !== 'linux') return undefined;
  const folder = openSync(dataDir, 'r');
  return { path: `/proc/self/fd/${folder}/${NAME}`, release: () => closeSync(folder) };
};

/**
 * Listens for the command line; only the server's own user can connect. The caller has DATA_DIR for itself.
 * @throws Error where no socket can be made, as on some network drives
 */
export const listenForCommands = async (dataDir: string): Promise<Server> => {
  const short = shortPath(dataDir);
  if (!short) throw new Error('this system has no private socket for so long a path');
  try {
    return (await listenOnPrivateSocket(short.path)).once('close', short.release);
  } catch (error) {
    short.release();
    throw error;
  }
};

/** Nobody listens: there is no server, or it was killed, or it is just starting or stopping. */
const NOBODY = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'];

/**
 * Connects to the server that has DATA_DIR open; undefined when there is none.
 * Fails with the system's error where this user may not connect.
 */
export const connectToServer = async (dataDir: string): Promise<Socket | undefined> => {
  try {
    const short = shortPath(dataDir);
    if (!short) return undefined;
    const socket = connect(short.path).once('close', short.release);
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    if (NOBODY.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
};
