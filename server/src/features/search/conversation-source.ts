import type { MessageAdded } from '@parlor/shared';
import pLimit from 'p-limit';
import { isOfLead, roomOf } from '../../events/events.ts';
import type { LeadModel, StoredLead } from '../leads/leads.model.ts';
import type { MessageModel, StoredMessage } from '../messages/messages.model.ts';
import type { RoomModel, StoredRoom } from '../rooms/rooms.model.ts';
import { olderThan, type SearchObject, type SearchSource, STEP } from './source.ts';

interface Models {
  rooms: RoomModel;
  leads: LeadModel;
  messages: MessageModel;
}

const ROOM_FIELDS = { account: 1, widget: 1, created_at: 1, name: 1, label: 1 } as const;

/** Who a visitor is, as one of its leads or messages says. */
type Contact = Partial<Pick<StoredLead, 'nickname' | 'email' | 'phone_number'>>;

/** A visitor says who it is in its first messages, or lately: this number at each end of a room is looked at. */
const MESSAGES_AT_AN_END = 20;

/** Leads of a room that are looked at, those that were left last. Deleting another one takes no word out. */
const LEADS_EACH = 50;

const LEAD_FIELDS = { nickname: 1, email: 1, phone_number: 1 } as const;

const readTogether = pLimit(8);

/** What the messages of a room say of its visitor. */
const contactsIn = async (messages: MessageModel, room: string): Promise<Contact[]> => {
  const atEnd = (order: 1 | -1) =>
    messages
      .find({ room }, { nickname: 1, email: 1, is_support_sender: 1 })
      .sort({ sent_at: order, _id: order })
      .limit(MESSAGES_AT_AN_END)
      .lean<StoredMessage[]>();
  const found = await readTogether(async () => [await atEnd(1), await atEnd(-1)].flat());
  return found.flatMap(({ is_support_sender, nickname, email }) =>
    is_support_sender ? [] : [{ nickname, email }],
  );
};

/** The different texts of a field. */
const different = (contacts: readonly Contact[], field: keyof Contact) => {
  const texts = new Set(contacts.map((contact) => contact[field] ?? '').filter((text) => text !== ''));
  return [...texts].map((text) => [field, text] as const);
};

const latestLeads = (leads: LeadModel, room: string): Promise<StoredLead[]> =>
  readTogether(() =>
    leads
      .find({ room }, LEAD_FIELDS)
      .sort({ created_at: -1, _id: -1 })
      .limit(LEADS_EACH)
      .lean<StoredLead[]>()
      .exec(),
  );

const withVisitors = ({ leads, messages }: Models, rooms: StoredRoom[]): Promise<SearchObject[]> =>
  Promise.all(
    rooms.map(async ({ _id, account, widget, created_at, name, label }): Promise<SearchObject> => {
      const own = await latestLeads(leads, _id);
      const contacts = [...own, ...(await contactsIn(messages, _id))];
      return {
        uuid: _id,
        account,
        widget,
        at: created_at,
        room: _id,
        subjects: [_id, ...own.map((lead) => lead._id)],
        texts: [
          ['name', name],
          ['label', label],
          ...different(contacts, 'nickname'),
          ...different(contacts, 'email'),
          ...different(contacts, 'phone_number'),
        ],
      };
    }),
  );

/** Conversations, by their name and label, and by what their visitor is called and how to reach it. */
export const conversationSource = (models: Models): SearchSource => ({
  kind: 'conversation',
  operation: 'listRooms',
  touchedBy: (event) => {
    const uuid = roomOf(event);
    if (uuid === undefined) return undefined;
    if (event.name === 'chat.added' || event.name === 'room.updated' || isOfLead(event)) return { uuid };
    if (event.name !== 'message.added') return undefined;
    const { nickname, email, is_support_sender } = event.data as MessageAdded;
    const mark = JSON.stringify([nickname, email]);
    return is_support_sender || !(nickname || email) ? undefined : { uuid, mark };
  },
  read: async (account, uuids) => {
    const those = { _id: { $in: uuids as string[] }, account };
    return withVisitors(models, await models.rooms.find(those, ROOM_FIELDS).lean<StoredRoom[]>());
  },
  readOlder: async (account, before) => {
    const found = await models.rooms
      .find({ account, ...olderThan('created_at', before) }, ROOM_FIELDS)
      .sort({ created_at: -1, _id: -1 })
      .limit(STEP)
      .lean<StoredRoom[]>();
    return withVisitors(models, found);
  },
});
