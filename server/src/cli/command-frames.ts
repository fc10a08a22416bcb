import { once } from 'node:events';
import type { Socket } from 'node:net';

/** The keys that somebody was given, by fingerprint; undefined for one that is not set. */
export interface KeyFingerprints {
  current?: string | undefined;
  previous?: string | undefined;
}

/**
 * What the command line sends to the running server: the command, then the lines that it reads. One of an older version takes
 * a frame that it does not know for an error: with `hearsAlive` it says that it knows that one.
 */
export type CallerFrame =
  | { words: string[]; keys?: KeyFingerprints; hearsAlive?: true }
  | { line: string }
  | { end: true };

/** How often a server that runs a command says that it is alive, whatever the command is at. */
export const ALIVE_EVERY_MS = 2_000;

/** What the server sends: that it is alive, everything that a Terminal is for, and how it ended. */
export type ServerFrame =
  | { alive: true }
  | { print: string }
  | { progress: string }
  | { write: string }
  | { wants: 'lines' }
  | { error: string; isUsage: boolean }
  | { done: true };

/** Sends JSON lines; resolves when there is room for more, and rejects when the other side has gone. */
export const frameSender = <Frame>(socket: Socket): ((frame: Frame) => Promise<void>) => {
  const gone = new AbortController();
  socket.once('close', () => gone.abort(new Error('the other side has gone')));
  socket.on('error', () => undefined);
  return async (frame) => {
    gone.signal.throwIfAborted();
    if (!socket.write(`${JSON.stringify(frame)}\n`)) await once(socket, 'drain', { signal: gone.signal });
  };
};

/** The JSON lines that arrive, of any length; ends with the connection, which stays open when nobody reads on. */
export async function* framesOf<Frame>(socket: Socket): AsyncGenerator<Frame, undefined> {
  let begun: string[] = [];
  const chunks: AsyncIterable<string> = socket.setEncoding('utf8').iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    const [first = '', ...others] = chunk.split('\n');
    begun.push(first);
    for (const next of others) {
      yield JSON.parse(begun.join(''));
      begun = [next];
    }
  }
  return undefined;
}
