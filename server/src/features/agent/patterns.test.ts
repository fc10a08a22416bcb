import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { mostInstructions } from './pattern-size.ts';
import { compilePattern, PatternCache, PatternCheck } from './patterns.ts';

/** The module that patterns.ts loads later: an import would give another copy. */
const { RE2JS } = createRequire(import.meta.url)('re2js') as typeof import('re2js');

const patternError = (source: string) => new PatternCheck().error(source);

describe('patterns', () => {
  it('finds what RE2 finds', () => {
    expect(compilePattern('^\\d{5}$')('80331')).toBe(true);
    expect(compilePattern('^\\d{5}$')('8033')).toBe(false);
    expect(compilePattern('(?i)refund')('A REFUND, please')).toBe(true);
    expect(compilePattern('\\p{Cyrillic}+')('привет')).toBe(true);
  });

  it.each([
    '(?i)[a-z\\d]+([.-][a-z\\d]+)*@([a-z\\d-]+\\.)+[a-z]{2,}',
    '(?i)[а-яё]+ [à-ÿ]+ [\\x{80}-\\x{10ffff}]',
    '[\\x{0}-\\x{ffff}]'.repeat(20),
  ])('takes %s', (source) => {
    expect(patternError(source)).toBeUndefined();
  });

  it.each([
    '(',
    '[z-a]',
    'a**',
    '(?=x)',
    '(a)\\1',
    'a{1001}',
    'x'.repeat(501),
    `(?i)${'\\pL'.repeat(21)}`,
    '((a{0,50}b?){0,50}c?){0,9}',
    // Compiling each of these takes hundreds of milliseconds.
    `(?i)${'[B-\u{1e942}]'.repeat(82)}`,
    `(?s)a(?mi:${'[B-\\x{ffff}]'.repeat(38)})`,
    `(?i)${'[\\102-\uffff]'.repeat(40)}`,
    `(?i)[${'\\]-\uffff'.repeat(60)}]`,
  ])('refuses %s', (source) => {
    expect(patternError(source)).toEqual(expect.any(String));
  });

  // Each of these takes a backtracking engine longer than the sun will last.
  it.each([
    ['(a+)+$', `${'a'.repeat(50_000)}b`],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(50_000)],
    ['(x+x+)+y', 'x'.repeat(50_000)],
    ['(.*a){12}b', 'a'.repeat(50_000)],
    ['(?i)((a|b|ab|ba|aab){0,20}){0,3}c', 'ab'.repeat(25_000)],
    ['([a-zé]{0,30}x?){8}!', 'é'.repeat(50_000)],
    ['(a?){190}a{190}', 'a'.repeat(50_000)],
  ])('%s can not stall the process', (source, text) => {
    const pattern = compilePattern(source);
    pattern(text);
    const started = performance.now();
    pattern(text);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

/** Parts of patterns that are written in many ways, and that look like others. */
const ATOMS = [
  ...[
    'a',
    'abc',
    '😀',
    '.',
    '^',
    '\\b',
    '\\d',
    '\\pL',
    '\\p{Greek}',
    '\\x{41}',
    '\\x41',
    '\\101',
    '\\{',
    '\\(',
  ],
  ...['[a-z]', '[]a]', '[^]a-]', '[[:alpha:]x]', '[\\]{3}]', '[[:]', '[({]', '\\Qa{9}|(\\E', '\\Qab'],
  ...['{', '{,3}', 'x{', '}', '(?i)', '(?s-i)', '|', ''],
];
const REPETITIONS = ['', '*', '+?', '?', '{2}', '{0,3}', '{3,}', '{0}', '{1,}', '{0,40}', '{13,20}?', '{01}'];

const pattern = fc.letrec<{ pattern: string }>((tie) => {
  const group = fc
    .tuple(fc.constantFrom('(', '(?:', '(?i:'), tie('pattern'))
    .map(([begin, inner]) => `${begin}${inner})`);
  const atom = fc.oneof({ depthSize: 'small' }, fc.constantFrom(...ATOMS), group);
  const piece = fc.tuple(atom, fc.constantFrom(...REPETITIONS)).map(([one, times]) => one + times);
  return { pattern: fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')) };
}).pattern;

describe('the work that a pattern takes', () => {
  it('is told from its source, never as too little', () => {
    let compiled = 0;
    fc.assert(
      fc.property(pattern, (source) => {
        const most = mostInstructions(source);
        if (most > 20_000) return;
        let size = 0;
        try {
          size = RE2JS.compile(source).programSize();
        } catch {
          return;
        }
        compiled++;
        expect(most).toBeGreaterThanOrEqual(size);
      }),
      { numRuns: 2_000 },
    );
    expect(compiled).toBeGreaterThan(500);
  });

  it('is not done for one that becomes much too large', () => {
    const large = 'a{0,1000}'.repeat(54);
    const compile = vi.spyOn(RE2JS, 'compile');
    expect(patternError(large)).toBe('too complicated');
    expect(() => compilePattern(large)).toThrow('too complicated');
    expect(compile).not.toHaveBeenCalled();
    compile.mockRestore();
  });

  it.each(['^(?:a|b|c|d|e|f){0,480}$', '(?:0|1|2|3|4|5|6|7|8|9){1,300}'])(
    'is done in a turn for what was good before it was told: %s',
    (source) => {
      expect(patternError(source)).toBe('too complicated');
      expect(new PatternCache().get(source)('af09')).toBe(source.startsWith('(?:0'));
    },
  );

  it("is done once in turns for one that can't be compiled", () => {
    const compile = vi.spyOn(RE2JS, 'compile');
    const patterns = new PatternCache();
    for (let turn = 0; turn < 3; turn++)
      expect(() => patterns.get('a{600}b{600}')).toThrow('too complicated');
    expect(compile).toHaveBeenCalledTimes(1);
    compile.mockRestore();
  });

  it('is done for ten that are refused, and then for no more', () => {
    const check = new PatternCheck();
    const errors = Array.from({ length: 10 }, () => {
      expect(check.isOver).toBe(false);
      return check.error('a{600}b{600}');
    });
    expect(errors).toEqual([
      ...Array(9).fill('too complicated'),
      'too complicated; no further pattern was looked at',
    ]);
    expect(check.isOver).toBe(true);
  });
});
