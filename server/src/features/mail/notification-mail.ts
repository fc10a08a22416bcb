import type { KeywordNotification, Transcript } from '@parlor/shared';
import {
  cut,
  keywordFooter,
  LONGEST_IN_SUBJECT,
  type MailContent,
  moment,
  onOneLine,
  quoted,
} from './mail-content.ts';

/** How much of one message is shown, in characters; the whole is in the notification itself. */
const LONGEST_LINE = 1_000;

const spoken = ({ nickname, body, is_support_sender, sent_at }: Transcript): string => {
  const name = onOneLine(nickname, LONGEST_IN_SUBJECT) || (is_support_sender ? 'Support' : 'Customer');
  const side = is_support_sender ? ' (support)' : '';
  return `${moment(sent_at)}, ${name}${side}:\n${quoted(cut(body, LONGEST_LINE))}`;
};

/**
 * The mail that tells an account's owner of a keyword notification: plain text, nothing to load or to click.
 */
export const notificationMail = (notification: KeywordNotification, username: string): MailContent => {
  const { customer_request, keywords, keyword_count, nickname, email, transcripts, created_at } =
    notification;
  const name = onOneLine(nickname, LONGEST_IN_SUBJECT) || 'A customer';
  const [first = ''] = keywords;
  const others = keyword_count > 1 ? ` and ${keyword_count - 1} more` : '';
  const unnamed = keyword_count > keywords.length ? ` and ${keyword_count - keywords.length} more` : '';
  const before = transcripts.slice(0, -1);
  const parts = [
    `${name}${email ? ` (${email})` : ''} wrote on ${moment(created_at)}:`,
    quoted(customer_request),
    `This mentions: ${keywords.map((keyword) => onOneLine(keyword, LONGEST_IN_SUBJECT)).join(', ')}${unnamed}.`,
    ...(before.length > 0 ? ['The conversation before it:', ...before.map(spoken)] : []),
    keywordFooter(username),
  ];
  return {
    subject: `${name} mentioned “${onOneLine(first, LONGEST_IN_SUBJECT)}”${others}`,
    text: `${parts.join('\n\n')}\n`,
  };
};
