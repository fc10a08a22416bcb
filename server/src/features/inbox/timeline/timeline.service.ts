import { type MemberReference, TimelineEvent, TimelineMessage, TimelineNote } from '@parlor/shared';
import { present } from '../../../database/document.ts';
import { type Order, type Page, readPages } from '../../../database/pages.ts';
import { invalid, missingObject } from '../../../platform/errors.ts';
import type { View } from '../../members/view.ts';
import { readMessages } from '../../messages/latest-messages.ts';
import type { MessageModel } from '../../messages/messages.model.ts';
import type { ConversationModel } from '../conversation.model.ts';
import type { InboxService } from '../inbox.service.ts';
import type { NoteModel } from '../notes/note.model.ts';
import type { ConversationEventModel, StoredConversationEvent } from './conversation-event.model.ts';
import { mergeInOrder, sourceOf, type Timed } from './merge.ts';
import { recordOf } from './record.ts';

/** How many of the longest notes a response holds: more are not read at once. */
const NOTES_STEP = 52;

/** Something of a timeline, with its API form. */
export interface TimelineEntry extends Timed {
  /** But for the picture of who wrote it. */
  shown: { author?: MemberReference | null };
}

interface Parts {
  inbox: Pick<InboxService, 'get'>;
  conversations: ConversationModel;
  messages: MessageModel;
  notes: NoteModel;
  conversationEvents: ConversationEventModel;
}

/** What was said, noted and done in a conversation, in one order (docs/contract.md#timeline). */
export class TimelineService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * A page of it, newest first unless `order` is 1, in steps.
   * @throws ParlorError `not_found` for a conversation out of view
   */
  async read(
    view: View,
    room: string,
    page: Page,
    order: Order = -1,
  ): Promise<AsyncGenerator<TimelineEntry[]>> {
    await this.#parts.inbox.get(view, room);
    return this.#read(room, page, order, await this.#unrecorded(room));
  }

  /**
   * One entry of it, and what reads on from there: older ones newest first, newer ones oldest first.
   * @throws ParlorError `not_found` for a conversation out of view, `invalid` where it has no such entry
   */
  async around(view: View, room: string, uuid: string) {
    const { inbox, messages, notes, conversationEvents } = this.#parts;
    await inbox.get(view, room);
    const unrecorded = await this.#unrecorded(room);
    const named = { _id: uuid, room };
    const [message, note, event] = await Promise.all([
      messages.findOne(named, { events: 0 }).lean(),
      notes.findOne(named, { events: 0 }).lean(),
      unrecorded.find(({ _id }) => _id === uuid) ?? conversationEvents.findOne(named).lean(),
    ]);
    const entry =
      (message && entryOf(message, TimelineMessage, 'message', 'sent_at')) ??
      (note && entryOf(note, TimelineNote, 'note', 'created_at')) ??
      (event && entryOf(event, TimelineEvent, 'event', 'at'));
    if (!entry) throw invalid({ around: [missingObject(uuid)] });
    const after = { time: entry.at, id: uuid };
    const readOn = (limit: number, order: Order) =>
      this.#read(room, { limit, after, from: undefined, until: undefined }, order, unrecorded);
    return { entry, readOn };
  }

  /** Events leave their conversation once they are recorded: whoever looks here first, and then there, misses none. */
  async #unrecorded(room: string): Promise<StoredConversationEvent[]> {
    const found = await this.#parts.conversations.findOne({ _id: room }, { events: 1 }).lean();
    return found?.events?.flatMap(recordOf) ?? [];
  }

  #read(
    room: string,
    page: Page,
    order: Order,
    unrecorded: readonly StoredConversationEvent[],
  ): AsyncGenerator<TimelineEntry[]> {
    const { messages, notes, conversationEvents } = this.#parts;
    const sources = [
      entries(readMessages(messages, { room }, page, order), TimelineMessage, 'message', 'sent_at'),
      entries(
        readPages(notes, { room }, 'created_at', page, { most: NOTES_STEP, order }),
        TimelineNote,
        'note',
        'created_at',
      ),
      entries(readPages(conversationEvents, { room }, 'at', page, { order }), TimelineEvent, 'event', 'at'),
      entries(sourceOf(unrecorded, page.after, order), TimelineEvent, 'event', 'at'),
    ];
    return mergeInOrder(sources, order);
  }
}

const entryOf = <T extends { _id: string }>(
  one: T,
  schema: Parameters<typeof present>[0],
  kind: string,
  timeField: keyof T,
): TimelineEntry => {
  const at = one[timeField] as Date;
  return { _id: one._id, at, shown: present<TimelineEntry['shown']>(schema, one, { kind, at }) };
};

async function* entries<T extends { _id: string }>(
  steps: AsyncGenerator<T[]>,
  ...how: [schema: Parameters<typeof present>[0], kind: string, timeField: keyof T]
): AsyncGenerator<TimelineEntry[]> {
  for await (const step of steps) yield step.map((one) => entryOf(one, ...how));
}
