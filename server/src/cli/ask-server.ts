import type { Socket } from 'node:net';
import { DatabaseError } from '../database/database-error.ts';
import { UsageError } from './arguments.ts';
import {
  type CallerFrame,
  frameSender,
  framesOf,
  type KeyFingerprints,
  type ServerFrame,
} from './command-frames.ts';
import type { Terminal } from './terminal.ts';

/** What a connection fails with whose server is killed: before it has read all, and before it is written to. */
const LOST = ['ECONNRESET', 'EPIPE'];

const SECOND_MS = 1_000;

/** A server says that it is alive every 2 s; one that is only busy has this much time for that. */
const SILENT_AFTER_S = 15;

/**
 * Ends a connection on which nothing comes any more. Seconds are counted, each by a timer of its own: a process that was
 * suspended itself, and finds all it was sent when it goes on, blames nobody.
 */
const endWhenSilent = (socket: Socket) => {
  let seconds = 0;
  let isWaiting = false;
  let isAlive = false;
  const timer = setInterval(() => {
    if (!isWaiting || ++seconds < SILENT_AFTER_S) return;
    const silent = `nothing came from it for ${SILENT_AFTER_S} s`;
    socket.destroy(
      new DatabaseError(
        isAlive
          ? `the server does not answer any more, ${silent}; the command may have been done, in part or whole`
          : `the server that has the database open does not answer, ${silent}: see whether it hangs, and give the command again`,
      ),
    );
  }, SECOND_MS);
  return {
    waits: () => {
      seconds = 0;
      isWaiting = true;
    },
    heard: (frame: ServerFrame) => {
      isWaiting = false;
      if ('alive' in frame) isAlive = true;
      // A server of an older version says nothing while it has no progress to tell.
      else if (!isAlive) clearInterval(timer);
    },
    end: () => clearInterval(timer),
  };
};

/**
 * Has the running server run a command, with this terminal and its files. It is ended there, too, when the terminal is stopped.
 * @param keys the caller's, where the server has to have the same ones
 * @throws UsageError as the command would; DatabaseError when the server failed, went away or says nothing any more.
 */
export const askServer = async (
  socket: Socket,
  words: readonly string[],
  terminal: Terminal,
  keys?: KeyFingerprints,
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
  const silence = endWhenSilent(socket);
  const next = async (): Promise<ServerFrame | undefined> => {
    silence.waits();
    const { value: frame } = await frames.next().catch(lost);
    if (frame) silence.heard(frame);
    return frame;
  };
  const end = () => socket.destroy(terminal.stopped.reason);
  terminal.stopped.addEventListener('abort', end);
  try {
    // Whether the connection is lost shows where it is read.
    await send({ words: [...words], hearsAlive: true, ...(keys && { keys }) }).catch(() => undefined);
    for (let frame = await next(); frame; frame = await next()) {
      if ('alive' in frame) continue;
      if ('print' in frame) terminal.print(frame.print);
      else if ('progress' in frame) terminal.progress(frame.progress);
      else if ('write' in frame) await terminal.write(frame.write);
      else if ('wants' in frame) sendLines().catch((error) => socket.destroy(error));
      else if ('done' in frame) return;
      else throw frame.isUsage ? new UsageError(frame.error) : new DatabaseError(frame.error);
    }
    throw stopped();
  } finally {
    terminal.stopped.removeEventListener('abort', end);
    silence.end();
    // Lines may be on their way that nobody reads any more.
    socket.destroy();
  }
};
