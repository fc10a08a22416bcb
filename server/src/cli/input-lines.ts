import type { Readable } from 'node:stream';

/**
 * The largest document that a database takes, and what JSON adds to it. The server that reads a line in has it several times at once, in
 * two bytes for each character: a longer one would fill its memory.
 */
export const MAX_LINE_BYTES = 17 * 1_024 * 1_024;

/** A line is longer than any that is read in, or no text. */
export class InputLineError extends Error {
  override name = 'InputLineError';
}

/**
 * The lines of a text that end in LF or CRLF, the last one with or without it. `node:readline` takes U+2028 and U+2029 for
 * ends from Node.js 24 on, which stand inside of texts in JSON.
 * @throws InputLineError, and what reading throws
 */
export async function* linesOf(input: Readable, most = MAX_LINE_BYTES): AsyncGenerator<string> {
  let begun: string[] = [];
  let length = 0;
  let count = 1;
  const take = (piece: string): void => {
    begun.push(piece);
    length += Buffer.byteLength(piece);
    if (length > most) throw new InputLineError(`line ${count} is longer than ${most} bytes`);
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
