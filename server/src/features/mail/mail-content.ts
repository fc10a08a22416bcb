/** A mail's subject and its text. */
export interface MailContent {
  subject: string;
  text: string;
}

/** What a subject shows of a keyword, and of a name. */
export const LONGEST_IN_SUBJECT = 60;

/** What would end a line, turn the direction in which the rest of it is read, or hide words (tag characters). */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]+/gu;

export const cut = (text: string, length: number): string => {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
};

/** A text of strangers on one line, fit for a header. */
export const onOneLine = (text: string, length: number): string =>
  cut(text.replace(UNPRINTABLE, ' ').replace(/\s+/gu, ' ').trim(), length);

/** Each line marked, so that what a customer wrote can't be taken for what Parlor says. */
export const quoted = (text: string, mark = '> '): string =>
  text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `${mark}${line.replace(UNPRINTABLE, ' ')}`.trimEnd())
    .join('\n');

/** `2026-11-21T09:30:00.123+00:00` as `2026-11-21 09:30 UTC`. */
export const moment = (datetime: string): string => `${datetime.slice(0, 10)} ${datetime.slice(11, 16)} UTC`;

/** What the mails that keywords raise end with. */
export const keywordFooter = (username: string): string =>
  `-- \nParlor sends this to the address of the account ${onOneLine(username, LONGEST_IN_SUBJECT)}, because these keywords are\nconfigured there. Delete a keyword to hear of it no more.`;
