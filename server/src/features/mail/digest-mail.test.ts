import { describe, expect, it } from 'vitest';
import { digestMail } from './digest-mail.ts';

const notification = {
  uuid: '01931f3e-0000-7000-8000-000000000000',
  customer_request: 'I want a refund,\nplease.',
  keywords: ['refund', 'money back'],
  keyword_count: 2,
  nickname: 'Ada',
  email: 'ada@example.com',
  transcripts: [],
  room: { uuid: '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11', label: 'spring-sale' },
  created_at: '2026-11-21T09:30:00.123+00:00',
  sent_at: null,
};

describe('a digest', () => {
  it('says of each message who wrote it, where, what, and which keywords that mentions', () => {
    const other = {
      ...notification,
      nickname: '',
      email: '',
      keywords: ['refund'],
      keyword_count: 5,
      room: null,
    };
    expect(digestMail([notification, other], 3, 'bob')).toEqual({
      subject: '5 messages mentioned your keywords',
      text: `5 messages mentioned your keywords:

2026-11-21 09:30 UTC, Ada (ada@example.com) in spring-sale mentions refund, money back:
> I want a refund, please.

2026-11-21 09:30 UTC, A customer mentions refund and 4 more:
> I want a refund, please.

And 3 more: all of them are in the keyword notifications of the account.

-- 
Parlor sends this to the address of the account bob, because these keywords are
configured there. Delete a keyword to hear of it no more.
`,
    });
  });

  it('lets nothing of a stranger start a line, or turn the direction of reading', () => {
    const evil = 'Ada\r\nBcc: evil@example.com\u2028x\u202edetrever\u200f\u061c\u{e0041}\u0000';
    const { subject, text } = digestMail(
      [{ ...notification, nickname: evil, keywords: [evil], customer_request: `a\r-- \n\u2028${evil}` }],
      0,
      'bob',
    );
    expect(subject).toBe('1 message mentioned your keywords');
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u061c\u200f\u2028\u2029\u202a-\u202e\u{e0041}]/u);
    expect(text.split('\n').filter((one) => /^(Bcc|a|Ada)/.test(one))).toEqual([]);
  });

  it('stays below 20 kB, however much was written, and counts what does not fit', () => {
    const long = '🦉'.repeat(10_000);
    const many = Array.from({ length: 1_000 }, () => ({
      ...notification,
      nickname: long,
      keywords: [long, long],
      customer_request: long,
    }));
    const { text } = digestMail(many, 0, 'bob');
    expect(Buffer.byteLength(text)).toBeLessThan(20_000);
    const listed = text.split('\n').filter((one) => one.startsWith('> ')).length;
    expect(listed).toBeGreaterThan(3);
    expect(text).toContain(`And ${1_000 - listed} more:`);
  });
});
