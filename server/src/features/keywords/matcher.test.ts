import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CpuBudget, OWN_WORK } from '../../platform/cpu-budget.ts';
import { fold } from '../../platform/folding.ts';
import { Matcher } from './matcher.ts';

const indexesIn = async (text: string, keywords: readonly string[]): Promise<number[]> =>
  (await Matcher.from(keywords, new CpuBudget(OWN_WORK))).mentionedIn(text, new CpuBudget(OWN_WORK));

const mentions = async (text: string, keyword: string): Promise<boolean> =>
  (await indexesIn(text, [keyword])).length === 1;

describe('mentions', () => {
  it.each([
    ['refund', 'I want a REFUND!', true],
    ['refund', 'refundable', false],
    ['refund', 'nonrefund', false],
    ['refund', '(refund)', true],
    ['refund', "the refund's late", true],
    ['refund', 'refund2', false],
    ['refund', '', false],
    ['money back', 'give my money\n\t back', true],
    ['money back', 'money, back', false],
    ['cafe', 'Un CAFÉ, s’il vous plaît', true],
    ['café', 'un cafe\u0301', true],
    ['straße', 'STRASSE', true],
    ['Tromso', 'Tromsø', true],
    ['ΟΔΟΣ', 'οδός', true],
    ['İstanbul', 'istanbul', true],
    ['возврат', 'ВОЗВРАТ денег', true],
    ['возврат', 'возвраты', false],
    ['退款', '我要退款謝謝', true],
    ['返金', '返金してください', true],
    ['คืนเงิน', 'ขอคืนเงินครับ', true],
    ['배송', '배송 언제', true],
    ['استرداد', 'أريد اِسْتِرداد', true],
    ['कल', 'कला', false],
    ['कल', 'कल आना', true],
    ['C++', 'do you know c++?', true],
    ['42', 'answer 42.', true],
    ['42', '1421', false],
    ['a.b', 'axb', false],
    ['😀 hi', 'x😀 HI', true],
    ['𐐷', '𐐏', true],
    ['achtung', '⚠️Achtung kaputt', true],
    ['❤', 'I ❤️ it', true],
    ['❤️', 'I ❤ it', true],
    ['葛城市', '葛󠄀城市', true],
    ['kündigung', 'Kündi\u00adgung', true],
  ])('%s in %j: %s', async (keyword, text, expected) => {
    expect(await mentions(fold(text), fold(keyword))).toBe(expected);
  });

  it('takes a later place when the first is inside a word', async () => {
    expect(await mentions(fold('prerefund refund'), fold('refund'))).toBe(true);
  });

  it('finds one wherever a long text has it', async () => {
    for (let before = 990; before < 1_000; before++)
      expect(await mentions(`${'x'.repeat(before)} refund${' x'.repeat(1_000)}`, 'refund')).toBe(true);
  });

  it('finds all of many at once, also those inside and across one another', async () => {
    const keywords = [
      'back',
      'money back',
      'money',
      'ney',
      'back guarantee',
      '退',
      '退款',
      '我要退款',
      'a',
      'ab',
      'b c',
    ];
    const found = async (text: string) =>
      (await indexesIn(fold(text), keywords)).map((index) => keywords[index]);
    expect(await found('Money  back guarantee')).toEqual(['back', 'money back', 'money', 'back guarantee']);
    expect(await found('我要退款')).toEqual(['退', '退款', '我要退款']);
    expect(await found('ab c')).toEqual(['ab']);
    expect(await found('a b c')).toEqual(['a', 'b c']);
    expect(await indexesIn('anything', [])).toEqual([]);
  });

  it('finds what a search for each keyword finds', async () => {
    const letters = fc.constantFrom('a', 'b', ' ', '退', 'é', '-');
    const word = fc.array(letters, { minLength: 1, maxLength: 4 }).map((chosen) => fold(chosen.join('')));
    const words = fc
      .uniqueArray(word, { maxLength: 12 })
      .map((all) => all.filter((one) => /[\p{L}]/u.test(one)));
    const text = fc.array(letters, { maxLength: 60 }).map((chosen) => fold(chosen.join('')));
    await fc.assert(
      fc.asyncProperty(words, text, async (keywords, searched) => {
        const expected = keywords.flatMap((keyword, index) =>
          isMentioned(searched, keyword) ? [index] : [],
        );
        expect(await indexesIn(searched, keywords)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

/** The rule, place by place: whole words, and any place in scripts without spaces. */
const isMentioned = (text: string, keyword: string): boolean => {
  const places = [...text.matchAll(new RegExp(`(?=${keyword})`, 'gu'))].map(({ index }) => index);
  const goesOn = (at: number) => /^[abe]{2}$/.test(text.slice(Math.max(0, at - 1), at + 1));
  return places.some((at) => !goesOn(at) && !goesOn(at + keyword.length));
};
