import { describe, expect, it } from 'vitest';
import { fold, mentions } from './folding.ts';

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
  ])('%s in %j: %s', (keyword, text, expected) => {
    expect(mentions(fold(text), fold(keyword))).toBe(expected);
  });

  it('takes a later place when the first is inside a word', () => {
    expect(mentions(fold('prerefund refund'), fold('refund'))).toBe(true);
  });
});
