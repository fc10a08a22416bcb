import { describe, expect, it } from 'vitest';
import { compilePattern, PatternCheck } from './patterns.ts';

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
