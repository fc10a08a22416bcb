/** Where to listen: a socket path, or a port of the loopback address. Nothing else. */
import { mkdtempSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EmbeddedMongodbError } from '../errors/embedded-mongodb-error.ts';
import { listenOnPrivateSocket } from './private-socket.ts';

export type Address = { path: string } | { host: string; port: number };

/**
 * Socket paths are cut off silently beyond 104 bytes in macOS and 108 in Linux, and a socket is made in a folder
 * beside its place first.
 */
const MAX_PATH_BYTES = 90;

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1', '[::1]']);

/** Reads `host:port`, or a socket path. Fails with LISTEN for any address that is not loopback. */
export function parseAddress(text: string): Address {
  const hostPort = /^(\[[^\]]*\]|[^/\\:]*):(\d{1,5})$/.exec(text);
  if (!hostPort) {
    const path = resolve(text);
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
      throw new EmbeddedMongodbError(
        'LISTEN',
        `the socket path ${path} is longer than ${MAX_PATH_BYTES} bytes`,
      );
    }
    return { path };
  }
  const host = (hostPort[1] as string).toLowerCase();
  const port = Number(hostPort[2]);
  if (!LOOPBACK.has(host)) {
    throw new EmbeddedMongodbError(
      'LISTEN',
      `the embedded database listens on loopback only, not on ${text}`,
    );
  }
  if (port > 65535) throw new EmbeddedMongodbError('LISTEN', `${text} is not a port`);
  return { host: host === 'localhost' ? '127.0.0.1' : host.replace(/[[\]]/g, ''), port };
}

/** A new private address for this process: a socket in a folder that only its user can enter. */
export function privateAddress(): Address & { folder?: string } {
  if (process.platform === 'win32') return { host: '127.0.0.1', port: 0 };
  const folder = privateFolder();
  return { path: join(folder, 'db.sock'), folder };
}

/** mkdtemp makes it with mode 0700. */
function privateFolder(): string {
  const usual = join(tmpdir(), 'parlor-');
  const elsewhere = '/tmp/parlor-';
  if (Buffer.byteLength(usual) > MAX_PATH_BYTES - 'XXXXXX/db.sock'.length) return mkdtempSync(elsewhere);
  try {
    return mkdtempSync(usual);
  } catch (error) {
    // Root's own, which the owner of the database may not enter.
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') {
      const reason = `no folder for its socket can be made in ${tmpdir()} (TMPDIR): ${(error as Error).message}`;
      throw new EmbeddedMongodbError('UNWRITABLE', reason);
    }
    return mkdtempSync(elsewhere);
  }
}

/** The connection string of an address; `actual` is where the server came to listen. */
export function addressUrl(address: Address, server: Server): string {
  const options = 'directConnection=true';
  if ('path' in address) return `mongodb://${encodeURIComponent(address.path)}/?${options}`;
  const actual = server.address();
  const port = actual && typeof actual === 'object' ? actual.port : address.port;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `mongodb://${host}:${port}/?${options}`;
}

/** Starts listening; on a socket file as listenOnPrivateSocket does. */
export async function listenOn(address: Address): Promise<Server> {
  if (!('path' in address)) return listenOnPort(address);
  return listenOnPrivateSocket(address.path).catch((error) => {
    throw cannotListen(address, error);
  });
}

function listenOnPort(address: Address): Promise<Server> {
  const server = createServer();
  return new Promise((resolveListening, reject) => {
    server.once('error', (error) => reject(cannotListen(address, error)));
    server.listen(address, () => resolveListening(server));
  });
}

function cannotListen(address: Address, error: unknown): EmbeddedMongodbError {
  const where = 'path' in address ? address.path : `${address.host}:${address.port}`;
  const reason = error instanceof Error ? error.message : String(error);
  return new EmbeddedMongodbError('LISTEN', `the embedded database can't listen on ${where}: ${reason}`);
}
