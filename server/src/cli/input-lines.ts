import type { Readable } from 'node:stream';

/** Twice the largest document that a database takes; a longer line would fill the memory of the server that reads it in. */
export const MAX_LINE_CHARACTERS = 32 * 1_024 * 1_024;

/** A line is longer than any that is read in, or no text. */
export class InputLineError extends Error {
  override name = 'InputLineError';
}

/**
 * The lines of a text that end in LF or CRLF, the last one with or without it. `node:readline` takes U+2028 and U+2029 for
 * ends from Node.js 24 on, which stand inside of texts in JSON.
 * @throws InputLineError, and what reading throws
 */
export async function* linesOf(input: Readable, most = MAX_LINE_CHARACTERS): AsyncGenerator<string> {
  let begun: string[] = [];
  let length = 0;
  let count = 1;
  const take = (piece: string): void => {
    begun.push(piece);
    length += piece.length;
    if (length > most) throw new InputLineError(`line ${count} is longer than ${most} characters`);
  };
  const end = (): string => {
    const line = begun.join('').replace(/\r$/, '');
    begun = [];
    length = 0;
    count++;
    return line;
  };
  // Not by `setEncoding`, which reads other bytes as U+FFFD: so a password would be set that nobody can type.
  // A byte order mark before the first line, as files of Windows have, is no part of it.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Buffer): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new InputLineError(`line ${count} is not UTF-8`);
    }
  };
  for await (const chunk of input as AsyncIterable<Buffer>) {
    const [first = '', ...others] = decode(chunk).split('\n');
    take(first);
    for (const next of others) {
      yield end();
      take(next);
    }
  }
  take(decode());
  if (length > 0) yield end();
}
