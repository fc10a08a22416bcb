import { type MemberReference, type NewNote, Note, type NoteWritten } from '@parlor/shared';
import { present } from '../../../database/document.ts';
import { insertOnce } from '../../../database/insert.ts';
import { changeDocument } from '../../../events/change.ts';
import { deleteDocument } from '../../../events/delete.ts';
import { isOfNote, newEvent, type OutboxEvent } from '../../../events/events.ts';
import type { Relay } from '../../../events/relay.ts';
import type { Tombstones } from '../../../events/tombstones.ts';
import { notFound, ParlorError } from '../../../platform/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { AsWritten } from '../../members/avatars/current-avatars.ts';
import type { ActiveMember } from '../../members/member.ts';
import type { MemberStore } from '../../members/member-store.ts';
import { isInView, type View } from '../../members/view.ts';
import type { StoredConversation } from '../conversation.model.ts';
import type { InboxService } from '../inbox.service.ts';
import { mentionedIn } from './mentions.ts';
import type { NoteModel, StoredNote } from './note.model.ts';

/** A caller's condition on a note as it stands; it throws when the condition does not hold. */
type Check = ((current: AsWritten<Note>) => void) | undefined;

/** Who writes a note. */
export interface Writer {
  view: View;
  member: Pick<ActiveMember, '_id' | 'role'>;
  /** undefined: a program. */
  author: MemberReference | undefined;
  /** The address of the member's picture. */
  avatar: string | null;
}

interface Parts {
  notes: NoteModel;
  inbox: Pick<InboxService, 'get'>;
  members: Pick<MemberStore, 'of'>;
  relay: Pick<Relay, 'announce'>;
  tombstones: Tombstones;
}

/** Notes of members on conversations (docs/contract.md#notes). Each asks first whether the conversation is in view. */
export class NotesService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws ParlorError `not_found` for a conversation out of view */
  async create(
    { view, member, author, avatar }: Writer,
    room: string,
    { body }: NewNote,
    uuid = newUuid(),
  ): Promise<StoredNote> {
    const { inbox, notes, relay } = this.#parts;
    const conversation = await inbox.get(view, room);
    const note: StoredNote = {
      _id: uuid,
      account: conversation.account,
      room,
      widget: conversation.widget,
      body,
      author: author ?? null,
      member: member._id,
      mentions: await this.#mentionsIn(body, conversation),
      created_at: new Date(),
      edited_at: null,
      version: 1,
    };
    note.events = [written('note.added', note, avatar, [])];
    const { stored, isNew } = await insertOnce(notes, note);
    if (isNew) relay.announce(notes, note);
    return stored;
  }

  /** @throws ParlorError `not_found`, also for one of another conversation, or out of view */
  async get(view: View, room: string, uuid: string): Promise<StoredNote> {
    const { inbox, notes } = this.#parts;
    const { account } = await inbox.get(view, room);
    const found = await notes.findOne({ _id: uuid, room, account }, { events: 0 }).lean<StoredNote>();
    if (!found) throw notFound();
    return found;
  }

  /**
   * @param writer says who changes it, also once its turn has come
   * @throws ParlorError `not_found`, `forbidden` unless the writer wrote it, and what `writer` and `check` throw
   */
  async change(
    writer: () => Promise<Writer>,
    room: string,
    uuid: string,
    { body }: Partial<NewNote>,
    check: Check,
  ): Promise<StoredNote> {
    const { inbox, notes, relay } = this.#parts;
    const conversation = await inbox.get((await writer()).view, room);
    const filter = { _id: uuid, room, account: conversation.account };
    const decide = async (current: StoredNote, { view, member, avatar }: Writer) => {
      if (!isInView(view, conversation)) throw notFound();
      if (current.member !== member._id) throw notTheAuthor('change');
      check?.(presentNote(current));
      if (body === undefined || body === current.body) return undefined;
      const mentions = await this.#mentionsIn(body, conversation);
      const set = { body, mentions, edited_at: new Date() };
      const now = Object.assign({}, current, set);
      return { set, events: [written('note.changed', now, avatar, current.mentions)] };
    };
    const changed = await changeDocument(notes, filter, decide, writer);
    relay.announce(notes, changed);
    return changed;
  }

  /** By whoever wrote it, owners and admins. @throws ParlorError as `change` does */
  async delete(writer: () => Promise<Writer>, room: string, uuid: string, check: Check): Promise<void> {
    const { inbox, notes, tombstones } = this.#parts;
    const conversation = await inbox.get((await writer()).view, room);
    const filter = { _id: uuid, room, account: conversation.account };
    await deleteDocument(notes, filter, tombstones, {
      check: async (current) => {
        const { view, member } = await writer();
        if (!isInView(view, conversation)) throw notFound();
        if (current.member !== member._id && member.role === 'operator') throw notTheAuthor('delete');
        check?.(presentNote(current));
      },
      events: ({ account, widget }) => [
        newEvent('note.deleted', account, new Date(), { uuid }, { room, widget }),
      ],
      isUnsaid: isOfNote,
    });
  }

  async #mentionsIn(body: string, conversation: StoredConversation): Promise<string[]> {
    if (!body.includes('@')) return [];
    return mentionedIn(body, conversation, await this.#parts.members.of(conversation.account));
  }
}

const notTheAuthor = (what: string): ParlorError =>
  new ParlorError('forbidden', `Only its author may ${what} a note.`);

/**
 * @param avatar of whoever wrote it, who alone changes it
 * @param before who was mentioned before this write
 */
const written = (
  name: 'note.added' | 'note.changed',
  note: StoredNote,
  avatar: string | null,
  before: readonly string[],
): OutboxEvent => {
  const { account, room, widget, member, mentions } = note;
  const mentioned = mentions.filter((one) => one !== member && !before.includes(one));
  const shown = presentNote(note);
  const data: NoteWritten = { ...shown, author: shown.author && { ...shown.author, avatar }, mentioned };
  return newEvent(name, account, note.edited_at ?? note.created_at, data, { room, widget });
};

/** The API's form of a note, but for its author's picture. */
export const presentNote = (note: StoredNote): AsWritten<Note> => present(Note, note);
