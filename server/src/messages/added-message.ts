import { CreatedMessage } from '@parlor/shared';
import { present } from '../database/document.ts';
import { newEvent } from '../outbox/events.ts';
import type { StoredRoom } from '../rooms/rooms.model.ts';
import type { StoredMessage } from './messages.model.ts';

/** A message as it is written into a room, with its message.added event inside (contract 5). */
export const addedMessage = (
  { _id, label, account }: Pick<StoredRoom, '_id' | 'label' | 'account'>,
  fields: Omit<StoredMessage, 'account' | 'room' | 'events'>,
): StoredMessage => {
  const message: StoredMessage = { ...fields, account, room: _id };
  const data = { ...presentCreated(message), room: { uuid: _id, label } };
  const event = newEvent('message.added', account, message.sent_at, data);
  const isForBot = message.answer_due !== undefined && ({ is_for_bot: true } as const);
  return { ...message, events: [{ ...event, live: { is_bot: message.is_bot }, ...isForBot }] };
};

/** A message as its create response shows it: exactly six fields. */
export const presentCreated = (message: StoredMessage): CreatedMessage => present(CreatedMessage, message);
