import { refused } from '../errors/mongo-error.ts';

/** The code points that equal one in either case, itself included (Unicode's simple case folding). */
export function caseVariants(code: number): number[] {
  if (code < 128) return ascii(code);
  if (YOUNG_LETTERS.some(([from, to]) => code >= from && code <= to)) {
    throw refused(`the letter ${String.fromCodePoint(code)} in a caseless regular expression`);
  }
  table ??= build();
  return table.get(code) ?? [code];
}

/** Letters whose case pairs are newer than Unicode 15: whether two letters are a pair depends on who is asked. */
const YOUNG_LETTERS: [number, number][] = [
  [0x19b, 0x19b],
  [0x264, 0x264],
  [0x1c89, 0x1c8a],
  [0xa7cb, 0xa7cf],
  [0xa7d2, 0xa7d5],
  [0xa7da, 0xa7dc],
  [0x10d50, 0x10d85],
  [0x16ea0, 0x16ed3],
];

let table: Map<number, number[]> | undefined;

const LONG_S = 0x17f;
const KELVIN = 0x212a;

function ascii(code: number): number[] {
  const letter = String.fromCharCode(code);
  if (!/[A-Za-z]/.test(letter)) return [code];
  const both = [letter.toLowerCase().charCodeAt(0), letter.toUpperCase().charCodeAt(0)];
  if (both[0] === 0x73) both.push(LONG_S);
  if (both[0] === 0x6b) both.push(KELVIN);
  return both;
}

/** Made only when a caseless pattern has a letter outside ASCII: it looks at every letter there is. */
function build(): Map<number, number[]> {
  const groups = new Map<number, Set<number>>();
  for (let code = 0; code <= 0x1ffff; code++) {
    if (code === 0xd800) code = 0xe000;
    const character = String.fromCodePoint(code);
    if (character.toLowerCase() === character && character.toUpperCase() === character) continue;
    const expression = new RegExp(`^\\u{${code.toString(16)}}$`, 'iu');
    for (const other of [
      character.toLowerCase(),
      character.toUpperCase(),
      character.toUpperCase().toLowerCase(),
    ]) {
      if (other === character || !expression.test(other)) continue;
      const point = other.codePointAt(0) as number;
      const merged = new Set([code, point, ...(groups.get(code) ?? []), ...(groups.get(point) ?? [])]);
      for (const member of merged) groups.set(member, merged);
    }
  }
  return new Map([...groups].map(([code, group]) => [code, [...group]]));
}
