import { describe, expect, it } from 'vitest';
import { notificationMail } from './notification-mail.ts';

const at = '2026-11-21T09:30:00.123+00:00';
const line = (nickname: string, body: string, is_support_sender = false) => ({
  nickname,
  body,
  is_support_sender,
  sent_at: at,
});

const notification = {
  uuid: '01931f3e-0000-7000-8000-000000000000',
  customer_request: 'I want a refund,\nplease.',
  keywords: ['refund', 'money back'],
  keyword_count: 2,
  nickname: 'Ada',
  email: 'ada@example.com',
  transcripts: [
    line('Ada', 'Hello'),
    line('', 'How can I help?', true),
    line('Ada', 'I want a refund,\nplease.'),
  ],
  room: { uuid: '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11', label: 'spring-sale' },
  created_at: at,
  sent_at: null,
};

describe('the mail of a keyword notification', () => {
  it('says who asked what, which keywords that mentions, and what was said before', () => {
    expect(notificationMail(notification, 'bob')).toEqual({
      subject: 'Ada mentioned “refund” and 1 more',
      text: `Ada (ada@example.com) wrote on 2026-11-21 09:30 UTC:

> I want a refund,
> please.

This mentions: refund, money back.

The conversation before it:

2026-11-21 09:30 UTC, Ada:
> Hello

2026-11-21 09:30 UTC, Support (support):
> How can I help?

-- 
Parlor sends this to the address of the account bob, because these keywords are
configured there. Delete a keyword to hear of it no more.
`,
    });
  });

  it('of somebody without a name, and with nothing before it, is as plain', () => {
    const { subject, text } = notificationMail(
      {
        ...notification,
        ...{ nickname: '', email: '', keywords: ['refund'], keyword_count: 1 },
        transcripts: [line('', 'refund')],
      },
      'bob',
    );
    expect(subject).toBe('A customer mentioned “refund”');
    expect(text).toMatch(/^A customer wrote on /);
    expect(text).not.toContain('before it');
  });

  it('counts the keywords that it does not name', () => {
    const { subject, text } = notificationMail({ ...notification, keyword_count: 1_000 }, 'bob');
    expect(subject).toBe('Ada mentioned “refund” and 999 more');
    expect(text).toContain('This mentions: refund, money back and 998 more.');
  });

  it('lets nobody write a line of its own, or turn the direction of reading', () => {
    const evil = 'Ada\r\nBcc: evil@example.com\u2028x\u202edetrever\u200f\u061c\u{e0041}\u0000';
    const { subject, text } = notificationMail(
      {
        ...notification,
        nickname: evil,
        keywords: [`re\nfund ${evil}`],
        customer_request: `a\r-- \n\u2028b\u0007`,
      },
      'bob',
    );
    expect(subject).not.toMatch(/[\p{Cc}\u061c\u200f\u2028\u2029\u202a-\u202e\u{e0041}]/u);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u061c\u200f\u2028\u2029\u202a-\u202e\u{e0041}]/u);
    expect(text).toContain('\n> a\n> --\n>\n> b\n');
    expect(text.split('\n').filter((one) => one.startsWith('Bcc'))).toEqual([]);
  });

  it('stays short, however long the conversation was', () => {
    const long = '🦉'.repeat(10_000);
    const { subject, text } = notificationMail(
      {
        ...notification,
        nickname: long,
        keywords: [long],
        transcripts: Array.from({ length: 20 }, () => line(long, long)),
      },
      'bob',
    );
    expect([...subject].length).toBeLessThan(200);
    expect([...text].length).toBeLessThan(25_000);
  });
});
