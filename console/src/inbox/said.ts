import type { CreatedMessage, Note } from '@parlor/shared';
import type { Item } from './stretch.ts';

export type MessageItem = Extract<Item, { kind: 'message' }>;

/** A message as it stands in a conversation. */
export const asMessage = (said: CreatedMessage & Partial<MessageItem>): MessageItem => ({
  phone_number: '',
  is_bot: false,
  ...said,
  kind: 'message',
  at: said.sent_at,
});

/** A note as it stands in a conversation. */
export const asNote = (note: Note): Item => ({ ...note, kind: 'note', at: note.created_at });
