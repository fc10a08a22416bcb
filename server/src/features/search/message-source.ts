import type { MessageAdded } from '@parlor/shared';
import type { MessageModel, StoredMessage } from '../messages/messages.model.ts';
import { olderThan, type SearchObject, type SearchSource, STEP } from './source.ts';

const FIELDS = { account: 1, widget: 1, room: 1, sent_at: 1, body: 1 } as const;

const objectOf = ({ _id, account, widget, room, sent_at, body }: StoredMessage): SearchObject => ({
  uuid: _id,
  account,
  widget,
  at: sent_at,
  room,
  subjects: [room],
  texts: [['body', body]],
});

/** Messages, by what they say. */
export const messageSource = ({ messages }: { messages: MessageModel }): SearchSource => ({
  kind: 'message',
  operation: 'listMessages',
  touchedBy: ({ name, data }) =>
    name === 'message.added' ? { uuid: (data as MessageAdded).uuid } : undefined,
  read: async (account, uuids) => {
    const those = { _id: { $in: uuids as string[] }, account };
    return (await messages.find(those, FIELDS).lean<StoredMessage[]>()).map(objectOf);
  },
  readOlder: async (account, before) => {
    const found = await messages
      .find({ account, ...olderThan('sent_at', before) }, FIELDS)
      .sort({ sent_at: -1, _id: -1 })
      .limit(STEP)
      .lean<StoredMessage[]>();
    return found.map(objectOf);
  },
  fixed: {
    ofEvent: ({ account, data, widget }) => {
      const { uuid, body, sent_at, room } = data as MessageAdded;
      const at = new Date(sent_at);
      return { uuid, account, widget, at, room: room.uuid, subjects: [room.uuid], texts: [['body', body]] };
    },
    existing: async (account, uuids) => {
      const those = { _id: { $in: uuids as string[] }, account };
      return new Set((await messages.find(those, { _id: 1 }).lean()).map(({ _id }) => _id));
    },
  },
});
