import type { Socket } from 'node:net';
import { DatabaseError } from '../database/database-error.ts';
import { UsageError } from './arguments.ts';
import { type CallerFrame, frameSender, framesOf, type ServerFrame } from './command-frames.ts';
import type { Terminal } from './terminal.ts';

/** What a connection fails with whose server is killed: before it has read all, and before it is written to. */
const LOST = ['ECONNRESET', 'EPIPE'];

/**
 * Has the running server run a command, with this terminal and its files.
 * @throws UsageError as the command would; DatabaseError when the server failed or went away.
 */
export const askServer = async (
  socket: Socket,
  words: readonly string[],
  terminal: Terminal,
): Promise<void> => {
  const send = frameSender<CallerFrame>(socket);
  const sendLines = async () => {
    for await (const line of terminal.lines()) await send({ line });
    await send({ end: true });
  };
  const stopped = (): DatabaseError =>
    new DatabaseError('the server was stopped before the command had ended: give it again');
  const lost = (error: NodeJS.ErrnoException): never => {
    throw LOST.includes(error.code ?? '') ? stopped() : error;
  };
  const frames = framesOf<ServerFrame>(socket);
  const next = async (): Promise<ServerFrame | undefined> => (await frames.next().catch(lost)).value;
  try {
    // Whether the connection is lost shows where it is read.
    await send({ words: [...words] }).catch(() => undefined);
    for (let frame = await next(); frame; frame = await next()) {
      if ('print' in frame) terminal.print(frame.print);
      else if ('progress' in frame) terminal.progress(frame.progress);
      else if ('write' in frame) await terminal.write(frame.write);
      else if ('wants' in frame) sendLines().catch((error) => socket.destroy(error));
      else if ('done' in frame) return;
      else throw frame.isUsage ? new UsageError(frame.error) : new DatabaseError(frame.error);
    }
    throw stopped();
  } finally {
    // Lines may be on their way that nobody reads any more.
    socket.destroy();
  }
};
