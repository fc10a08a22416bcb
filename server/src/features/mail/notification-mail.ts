import type { KeywordNotification, Transcript } from '@parlor/shared';

/** A mail's subject and its text. */
export interface Letter {
  subject: string;
  text: string;
}

/** Of one message of the conversation so much is told; the whole is in the notification itself. */
const LONGEST_LINE = 1_000;

/** What a subject shows of a keyword, and of a name. */
const LONGEST_IN_SUBJECT = 60;

/** What would end a line, or turn the direction in which the rest of it is read. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

const cut = (text: string, length: number): string => {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
};

/** A text of strangers on one line, fit for a header. */
const onOneLine = (text: string, length: number): string =>
  cut(text.replace(UNPRINTABLE, ' ').replace(/\s+/gu, ' ').trim(), length);

/** Each line marked, so that what a customer wrote can't be taken for what Parlor says. */
const quoted = (text: string, mark = '> '): string =>
  text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `${mark}${line.replace(UNPRINTABLE, ' ')}`.trimEnd())
    .join('\n');

/** `2026-11-21T09:30:00.123+00:00` as `2026-11-21 09:30 UTC`. */
const moment = (datetime: string): string => `${datetime.slice(0, 10)} ${datetime.slice(11, 16)} UTC`;

const spoken = ({ nickname, body, is_support_sender, sent_at }: Transcript): string => {
  const name = onOneLine(nickname, LONGEST_IN_SUBJECT) || (is_support_sender ? 'Support' : 'Customer');
  const side = is_support_sender ? ' (support)' : '';
  return `${moment(sent_at)}, ${name}${side}:\n${quoted(cut(body, LONGEST_LINE))}`;
};

/** The mail that tells an account's owner of a keyword notification: plain text, nothing to load or to click. */
export const notificationMail = (notification: KeywordNotification, username: string): Letter => {
  const { customer_request, keywords, nickname, email, transcripts, created_at } = notification;
  const name = onOneLine(nickname, LONGEST_IN_SUBJECT) || 'A customer';
  const [first = ''] = keywords;
  const others = keywords.length > 1 ? ` and ${keywords.length - 1} more` : '';
  const before = transcripts.slice(0, -1);
  const parts = [
    `${name}${email ? ` (${email})` : ''} wrote on ${moment(created_at)}:`,
    quoted(customer_request),
    `This mentions: ${keywords.map((keyword) => onOneLine(keyword, LONGEST_IN_SUBJECT)).join(', ')}.`,
    ...(before.length > 0 ? ['The conversation before it:', ...before.map(spoken)] : []),
    `-- \nParlor sends this to the address of the account ${onOneLine(username, LONGEST_IN_SUBJECT)}, because these keywords are\nconfigured there. Delete a keyword to hear of it no more.`,
  ];
  return {
    subject: `${name} mentioned “${onOneLine(first, LONGEST_IN_SUBJECT)}”${others}`,
    text: `${parts.join('\n\n')}\n`,
  };
};
