import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../platform/folding.ts';
import { Matcher } from './matcher.ts';

const mentions = (text: string, keyword: string): boolean =>
  new Matcher([keyword]).mentionedIn(text).length === 1;

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
  ])('%s in %j: %s', (keyword, text, expected) => {
    expect(mentions(fold(text), fold(keyword))).toBe(expected);
  });

  it('takes a later place when the first is inside a word', () => {
    expect(mentions(fold('prerefund refund'), fold('refund'))).toBe(true);
  });

  it('finds all of many at once, also those inside and across one another', () => {
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
    const found = (text: string) =>
      new Matcher(keywords).mentionedIn(fold(text)).map((index) => keywords[index]);
    expect(found('Money  back guarantee')).toEqual(['back', 'money back', 'money', 'back guarantee']);
    expect(found('我要退款')).toEqual(['退', '退款', '我要退款']);
    expect(found('ab c')).toEqual(['ab']);
    expect(found('a b c')).toEqual(['a', 'b c']);
    expect(new Matcher([]).mentionedIn('anything')).toEqual([]);
  });

  it('finds what a search for each keyword finds', () => {
    const letters = fc.constantFrom('a', 'b', ' ', '退', 'é', '-');
    const word = fc.array(letters, { minLength: 1, maxLength: 4 }).map((chosen) => fold(chosen.join('')));
    const words = fc
      .uniqueArray(word, { maxLength: 12 })
      .map((all) => all.filter((one) => /[\p{L}]/u.test(one)));
    const text = fc.array(letters, { maxLength: 60 }).map((chosen) => fold(chosen.join('')));
    fc.assert(
      fc.property(words, text, (keywords, searched) => {
        const expected = keywords.flatMap((keyword, index) =>
          isMentioned(searched, keyword) ? [index] : [],
        );
        expect(new Matcher(keywords).mentionedIn(searched)).toEqual(expected);
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
