import type { Widened } from './en.ts';

/** The page of keywords, in English. */
export const en = {
  title: 'Keywords',
  hint: 'Words that you want to hear of when a visitor mentions them.',
  list: 'Your keywords',
  listHint: 'Whole words or phrases. Capitals and accents make no difference.',
  keyword: 'New keyword',
  add: 'Add',
  empty: 'None yet. Add one, such as the name of a product, or “refund”.',
  remove: (keyword: string) => `Delete ${keyword}`,
  removed: (keyword: string) => `“${keyword}” deleted.`,
  notRemoved: (keyword: string) => `“${keyword}” could not be deleted, and is still here. Try again.`,
  more: 'More keywords',
  mentions: 'Mentions',
  mentionsHint: 'Messages of visitors that have named a keyword, newest first.',
  noMentions: 'No mentions yet',
  noMentionsHint: 'As soon as a visitor names one of your keywords, the message stands here.',
  older: 'Older mentions',
  refresh: 'Refresh',
  gone: 'The message has been deleted.',
  visitor: 'Visitor',
  unnamed: (count: number) => `and ${count} more`,
  open: 'Open the conversation',
  sent: (when: string) => `First passed on ${when}`,
} as const;

export type KeywordWords = Widened<typeof en>;
