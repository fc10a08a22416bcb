/** A socket file that only its user can connect to, whatever a killed process left in its place. */
import { chmodSync, lstatSync, mkdtempSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';

/**
 * Listens on a socket file of mode 0600. One that nobody listens on any more is replaced; a new one is made in a
 * folder that only its user can enter, and moved once its mode is set, so that nobody else can connect in between.
 * Fails where something else is in its place, and with the system's errors. The file goes when the server is closed, unless
 * another one has taken its place by then.
 */
export async function listenOnPrivateSocket(path: string): Promise<Server> {
  const server = createServer();
  await removeStale(path);
  if (lstatSync(path, { throwIfNoEntry: false })) throw new Error('the file is there already');
  const folder = mkdtempSync(join(dirname(path), '.s'));
  try {
    const made = join(folder, 's');
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ path: made }, resolve);
    });
    chmodSync(made, 0o600);
    renameSync(made, path);
  } catch (error) {
    server.close();
    throw error;
  } finally {
    // Root in another user's folder follows no link that has taken its place.
    rmSync(join(folder, 's'), { force: true });
    rmdirSync(folder);
  }
  const own = identityOf(path);
  server.once('close', () => {
    if (own === undefined || identityOf(path) !== own) return;
    try {
      rmSync(path, { force: true });
    } catch {
      // Nothing can be removed where the disk takes no writes any more: who listens here next replaces it.
    }
  });
  return server;
}

/** Undefined where it is gone, or can't be reached. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = lstatSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isSocket()) return;
  const answered = await new Promise<boolean>((resolveAnswer) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolveAnswer(true);
    });
    probe.once('error', () => resolveAnswer(false));
  });
  if (!answered) rmSync(path, { force: true });
}
