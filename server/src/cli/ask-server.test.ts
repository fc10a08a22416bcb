import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { DatabaseError } from '../database/database-error.ts';
import { askServer } from './ask-server.ts';
import { LocalTerminal } from './terminal.ts';

it.skipIf(process.platform === 'win32')(
  'says so when the server has gone before it is told the command',
  async () => {
    const path = join(await temporaryFolder(), 'commands.sock');
    const server = createServer().listen(path);
    onTestFinished(() => void server.close());
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect(path);
    await once(socket, 'connect');
    const [other] = await accepted;
    other.destroy();
    await once(other, 'close');
    const asked = askServer(socket, ['keys', 'rotate'], new LocalTerminal({}));
    const stopped = 'the server was stopped before the command had ended: give it again';
    await expect(asked).rejects.toThrow(new DatabaseError(stopped));
  },
);

/** A server that has sent these frames, and what came of the command that it was asked to do. */
const asked = async (...frames: object[]) => {
  const path = join(await temporaryFolder(), 'commands.sock');
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = connect(path);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const progress = vi.fn();
  const terminal = Object.assign(new LocalTerminal({}), { progress });
  const end = askServer(socket, ['keys', 'rotate'], terminal);
  const [other] = await accepted;
  const tell = async (...told: object[]) => {
    progress.mockClear();
    // The last one is seen when all have been read.
    for (const frame of [...told, { progress: 'told' }]) other.write(`${JSON.stringify(frame)}\n`);
    await expect.poll(() => progress.mock.calls.length).toBeGreaterThan(0);
  };
  await tell(...frames);
  return { end, tell, other };
};

it.skipIf(process.platform === 'win32')(
  'gives up a server that says nothing any more, having said that it is alive',
  async () => {
    const { end, tell } = await asked({ alive: true });
    const failed = end.catch((error: Error) => error);
    for (let i = 0; i < 20; i++) {
      vi.advanceTimersByTime(10_000);
      await tell({ alive: true });
    }
    vi.advanceTimersByTime(15_000);
    expect(await failed).toEqual(
      new DatabaseError(
        'the server does not answer any more, nothing came from it for 15 s; the command may have been done, in part or whole',
      ),
    );
  },
);

it.skipIf(process.platform === 'win32')(
  'waits for a server of an older version, which says nothing of being alive',
  async () => {
    const { end, other } = await asked();
    vi.advanceTimersByTime(3_600_000);
    other.write('{"done":true}\n');
    await end;
  },
);
