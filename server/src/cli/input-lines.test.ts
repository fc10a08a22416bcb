import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { InputLineError, linesOf } from './input-lines.ts';

const read = async (pieces: (string | Buffer)[], most?: number): Promise<string[]> => {
  const bytes = pieces.map((piece) => Buffer.from(piece));
  const lines: string[] = [];
  for await (const line of linesOf(Readable.from(bytes, { objectMode: false }), most)) lines.push(line);
  return lines;
};

describe('lines that are read in', () => {
  it.each([
    ['with LF and CRLF', ['a\nb\r\n\nc\n'], ['a', 'b', '', 'c']],
    ['without an end', ['a\nb'], ['a', 'b']],
    ['in pieces', ['a', 'b\r', '\nc', '\n', 'd'], ['ab', 'c', 'd']],
    ['of nothing', [], []],
    [
      'with signs that are no ends',
      ['a\u2028b\u2029c\rd\u0085e\u000bf\u000cg\n'],
      ['a\u2028b\u2029c\rd\u0085e\u000bf\u000cg'],
    ],
  ])('%s', async (_, pieces, lines) => expect(await read(pieces)).toEqual(lines));

  it('with characters that are divided', async () => {
    const bytes = Buffer.from('\u{1f4a1}\n');
    expect(await read([bytes.subarray(0, 2), bytes.subarray(2)])).toEqual(['\u{1f4a1}']);
  });

  it('without the byte order mark before them, and with what looks like one in them', async () => {
    const marked = Buffer.from('\ufeffa\ufeff\n\ufeffb\n');
    for (const at of [1, 3, 4, 8, 9]) {
      expect(await read([marked.subarray(0, at), marked.subarray(at)])).toEqual(['a\ufeff', '\ufeffb']);
    }
  });

  it('are UTF-8', async () => {
    const latin1 = Buffer.from('schl\u00fcssel\n', 'latin1');
    await expect(read(['a\n', latin1])).rejects.toThrow(new InputLineError('line 2 is not UTF-8'));
    await expect(read(['a', Buffer.from('\u{1f4a1}').subarray(0, 2)])).rejects.toThrow('line 1 is not UTF-8');
  });

  it('are not longer than the largest document makes them', async () => {
    expect(await read(['abc\nabc\n'], 3)).toEqual(['abc', 'abc']);
    await expect(read(['abc\nab', 'c', 'd'], 3)).rejects.toThrow(
      new InputLineError('line 2 is longer than 3 bytes'),
    );
    await expect(read(['\u00e4\u00e4'], 3)).rejects.toThrow('line 1 is longer than 3 bytes');
  });
});
