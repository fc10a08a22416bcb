import { type Conversation, Message } from '@parlor/shared';
import pLimit from 'p-limit';
import { isoDatetime, present } from '../../database/document.ts';
import type { LeadModel, StoredLead } from '../leads/leads.model.ts';
import type { AsWritten } from '../members/avatars/current-avatars.ts';
import type { MessageModel, StoredMessage } from '../messages/messages.model.ts';
import type { PresenceStore } from '../realtime/presence-store.ts';
import type { RoomModel } from '../rooms/rooms.model.ts';
import type { VisitorSession, VisitorSessionModel } from '../visitors/sessions.model.ts';
import type { StoredConversation } from './conversation.model.ts';
import { presentState } from './state.ts';
import { latestOf } from './waiting.ts';

/** A conversation as it is shown, but for the picture of who wrote last. */
export type WrittenConversation = Omit<Conversation, 'last_message'> & {
  last_message: AsWritten<Message> | null;
};

interface Parts {
  rooms: RoomModel;
  messages: MessageModel;
  leads: LeadModel;
  sessions: VisitorSessionModel;
  presences: Pick<PresenceStore, 'visited'>;
}

/** Leads that are read of each conversation of a page, on average: a visitor has one, and a bot may take more. */
const LEADS_EACH = 5;

const readTogether = pLimit(8);

/**
 * Puts together what is shown of conversations: what was said last, and what is known of the visitor. All of a page
 * are read with one query of each collection.
 */
export class ConversationDetails {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Conversations as a member sees them, in the same order; undefined where the room has gone before its words have. */
  async present(
    conversations: readonly StoredConversation[],
    member: string,
  ): Promise<(WrittenConversation | undefined)[]> {
    if (conversations.length === 0) return [];
    const rooms = conversations.map(({ _id }) => _id);
    const { presences } = this.#parts;
    const [names, messages, leads, sessions, online] = await Promise.all([
      this.#names(rooms),
      this.#messages(conversations),
      this.#leads(rooms),
      this.#sessions(rooms),
      presences.visited(rooms),
    ]);
    return conversations.map((conversation): WrittenConversation | undefined => {
      const { _id, introduced_in } = conversation;
      if (!names.has(_id)) return undefined;
      const last = messages.get(latestOf(conversation.heard)?.id ?? '');
      const known = leads.get(_id) ?? messages.get(introduced_in);
      return {
        ...presentState(conversation),
        name: names.get(_id) ?? '',
        is_unread: conversation.unread.includes(member),
        last_message: last ? present<AsWritten<Message>>(Message, last) : null,
        visitor: {
          name: known?.nickname ?? '',
          email: known?.email ?? '',
          phone_number: known?.phone_number ?? '',
          is_online: online.has(_id),
          ...fromSession(sessions.get(_id)),
        },
      };
    });
  }

  async #names(rooms: string[]): Promise<Map<string, string>> {
    const found = await this.#parts.rooms.find({ _id: { $in: rooms } }, { name: 1 }).lean();
    return new Map(found.map(({ _id, name }) => [_id, name]));
  }

  /** The last messages, and those that say who the visitor is. */
  async #messages(conversations: readonly StoredConversation[]): Promise<Map<string, StoredMessage>> {
    const ids = conversations.flatMap(({ heard, introduced_in }) => [latestOf(heard)?.id, introduced_in]);
    const wanted = [...new Set(ids.filter((id) => id !== undefined && id !== ''))] as string[];
    if (wanted.length === 0) return new Map();
    const filter = { _id: { $in: wanted } };
    const found = await this.#parts.messages.find(filter, { events: 0 }).lean<StoredMessage[]>();
    return new Map(found.map((message) => [message._id, message]));
  }

  /** The lead of each room that was left last. */
  async #leads(rooms: string[]): Promise<Map<string, StoredLead>> {
    const limit = rooms.length * LEADS_EACH;
    const found = await this.#parts.leads
      .find({ room: { $in: rooms } }, { events: 0 })
      .limit(limit)
      .lean<StoredLead[]>();
    // One room alone may have reached the limit: then one query for each.
    const last =
      found.length < limit
        ? found.sort(earliestFirst)
        : (await Promise.all(rooms.map((room) => this.#lastLead(room)))).flat();
    return new Map(last.map((lead) => [lead.room ?? '', lead]));
  }

  #lastLead(room: string): Promise<StoredLead[]> {
    return readTogether(() =>
      this.#parts.leads
        .find({ room }, { events: 0 })
        .sort({ created_at: -1, _id: -1 })
        .limit(1)
        .lean<StoredLead[]>()
        .exec(),
    );
  }

  async #sessions(rooms: string[]): Promise<Map<string, VisitorSession>> {
    const found = await this.#parts.sessions.find({ room: { $in: rooms } }).lean<VisitorSession[]>();
    return new Map(found.map((session) => [session.room, session]));
  }
}

/** Also where the time of a damaged one is none. */
const earliestFirst = (a: StoredLead, b: StoredLead): number =>
  Number(a.created_at) - Number(b.created_at) || (a._id < b._id ? -1 : 1);

/** Of a conversation that came by the API, and after its session has run out, nothing of this is known. */
const fromSession = (
  session: VisitorSession | undefined,
): Pick<Conversation['visitor'], 'page' | 'device' | 'locale' | 'referrer' | 'first_seen_at'> => {
  const { url = '', title = '', referrer = '' } = session?.page ?? {};
  return {
    page: url === '' ? null : { url, title },
    device: session?.device ?? '',
    locale: session?.locale ?? '',
    referrer,
    first_seen_at: session ? isoDatetime(session.created_at) : null,
  };
};
