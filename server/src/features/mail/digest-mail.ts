import type { KeywordNotification } from '@parlor/shared';
import { keywordFooter, LONGEST_IN_SUBJECT, type MailContent, moment, onOneLine } from './mail-content.ts';

/** How many notifications a digest lists; the rest is counted. */
export const MAX_LISTED = 50;

/** All that is listed, as UTF-8. */
const MAX_BYTES = 16_384;

/** What is shown of a message, and of all keywords that it mentions, in characters. */
const LONGEST_REQUEST = 300;
const LONGEST_KEYWORDS = 200;

const listed = ({
  nickname,
  email,
  keywords,
  keyword_count,
  customer_request,
  room,
  created_at,
}: KeywordNotification): string => {
  const name = onOneLine(nickname, LONGEST_IN_SUBJECT) || 'A customer';
  const place = room ? ` in ${room.label}` : '';
  const unnamed = keyword_count > keywords.length ? ` and ${keyword_count - keywords.length} more` : '';
  const mentioned = `${onOneLine(keywords.join(', '), LONGEST_KEYWORDS)}${unnamed}`;
  return [
    `${moment(created_at)}, ${name}${email ? ` (${email})` : ''}${place} mentions ${mentioned}:`,
    `> ${onOneLine(customer_request, LONGEST_REQUEST)}`.trimEnd(),
  ].join('\n');
};

/**
 * The mail that tells an account's owner of several keyword notifications: those that fit, and how many more there are.
 * @param more those that are not among `notifications`
 */
export const digestMail = (
  notifications: readonly KeywordNotification[],
  more: number,
  username: string,
): MailContent => {
  const entries: string[] = [];
  let left = MAX_BYTES;
  for (const notification of notifications.slice(0, MAX_LISTED)) {
    const entry = listed(notification);
    left -= Buffer.byteLength(entry);
    if (left < 0) break;
    entries.push(entry);
  }
  const unlisted = notifications.length - entries.length + more;
  const count = notifications.length + more;
  const parts = [
    `${messages(count)} mentioned your keywords:`,
    ...entries,
    ...(unlisted > 0
      ? [`And ${unlisted} more: all of them are in the keyword notifications of the account.`]
      : []),
    keywordFooter(username),
  ];
  return { subject: `${messages(count)} mentioned your keywords`, text: `${parts.join('\n\n')}\n` };
};

const messages = (count: number): string => (count === 1 ? '1 message' : `${count} messages`);
