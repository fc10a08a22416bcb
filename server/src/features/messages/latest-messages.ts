import { type Order, type Page, readPages } from '../../database/pages.ts';
import { PAGE_BYTES } from '../../http/lists.ts';
import type { MessageModel, StoredMessage } from './messages.model.ts';

/** How many of the longest messages a response holds: more are not read at once. */
const MESSAGES_STEP = 52;

const UNSHOWN = { support_answer: 0 } as const;

/** The messages of a page, newest first unless `order` is 1, in steps. @param filter with which an index begins */
export const readMessages = (
  messages: MessageModel,
  filter: object,
  page: Page,
  order: Order = -1,
): AsyncGenerator<StoredMessage[]> =>
  readPages(messages, filter, 'sent_at', page, { without: UNSHOWN, most: MESSAGES_STEP, order });

/**
 * The latest `limit` messages of a room in the order sent, as many of them as fit into one response: 500 of the longest
 * would be 20 MB.
 */
export const latestMessages = async (
  messages: MessageModel,
  room: string,
  limit: number,
): Promise<StoredMessage[]> => {
  const latest: StoredMessage[] = [];
  if (limit === 0) return latest;
  // One less, since a page is read with the one that follows it.
  const page = { limit: limit - 1, after: undefined, from: undefined, until: undefined };
  let bytes = 0;
  for await (const step of readMessages(messages, { room }, page)) {
    for (const message of step) {
      bytes += Buffer.byteLength(JSON.stringify(message));
      if (bytes > PAGE_BYTES) return latest.reverse();
      latest.push(message);
    }
  }
  return latest.reverse();
};
