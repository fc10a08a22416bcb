import { type Author, CreatedMessage } from '@parlor/shared';
import { present } from '../../database/document.ts';
import { newEvent } from '../../events/events.ts';
import type { AskedFrom } from '../../http/asked-from.ts';
import type { StoredRoom } from '../rooms/rooms.model.ts';
import type { StoredMessage } from './messages.model.ts';

/**
 * A message as it is written into a room, with its message.added event inside (docs/contract.md#webhooks). No
 * literal here begins with a spread and goes on with further fields: Node.js 20 makes a new hidden class for
 * each such object.
 * @param askedFrom where a visitor wrote it; it goes with the event once that is announced
 */
export const addedMessage = (
  { _id, label, account, widget }: Pick<StoredRoom, '_id' | 'label' | 'account' | 'widget'>,
  fields: Omit<StoredMessage, 'account' | 'room' | 'widget' | 'author' | 'events'>,
  { author, askedFrom = [] }: { author?: Author | undefined; askedFrom?: AskedFrom } = {},
): StoredMessage => {
  const message: StoredMessage = { account, room: _id, ...(widget !== undefined && { widget }), ...fields };
  // The picture of this moment is for the event alone: what lists show is the one that the member has by then.
  if (author) message.author = { uuid: author.uuid, name: author.name };
  const data = Object.assign(presentCreated(message), author && { author }, { room: { uuid: _id, label } });
  const event = newEvent('message.added', account, message.sent_at, data, { widget });
  const isForBot = message.answer_due !== undefined && ({ is_for_bot: true } as const);
  const from = askedFrom.length > 0 && { asked_from: [...askedFrom] };
  return { events: [{ live: { is_bot: message.is_bot }, ...event, ...isForBot, ...from }], ...message };
};

/** A message as its create response shows it: exactly six fields. */
export const presentCreated = (message: StoredMessage): CreatedMessage => present(CreatedMessage, message);
