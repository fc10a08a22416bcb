import { TimelineEvent, TimelineMessage, TimelineNote } from '@parlor/shared';
import { present } from '../../../database/document.ts';
import { type Page, readPages } from '../../../database/pages.ts';
import type { View } from '../../members/view.ts';
import { readMessages } from '../../messages/latest-messages.ts';
import type { MessageModel } from '../../messages/messages.model.ts';
import type { InboxService } from '../inbox.service.ts';
import type { NoteModel } from '../notes/note.model.ts';
import type { ConversationEventModel } from './conversation-event.model.ts';
import { mergeNewestFirst, type Timed } from './merge.ts';

/** How many of the longest notes a response holds: more are not read at once. */
const NOTES_STEP = 52;

/** Something of a timeline, with its API form. */
export interface TimelineEntry extends Timed {
  shown: object;
}

interface Parts {
  inbox: Pick<InboxService, 'get'>;
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
   * A page of it, newest first, in steps.
   * @throws ParlorError `not_found` for a conversation out of view
   */
  async read(view: View, room: string, page: Page): Promise<AsyncGenerator<TimelineEntry[]>> {
    const { inbox, messages, notes, conversationEvents } = this.#parts;
    await inbox.get(view, room);
    return mergeNewestFirst([
      entries(readMessages(messages, { room }, page), TimelineMessage, 'message', 'sent_at'),
      entries(
        readPages(notes, { room }, 'created_at', page, { most: NOTES_STEP }),
        TimelineNote,
        'note',
        'created_at',
      ),
      entries(readPages(conversationEvents, { room }, 'at', page), TimelineEvent, 'event', 'at'),
    ]);
  }
}

async function* entries<T extends { _id: string }>(
  steps: AsyncGenerator<T[]>,
  schema: Parameters<typeof present>[0],
  kind: string,
  timeField: keyof T,
): AsyncGenerator<TimelineEntry[]> {
  for await (const step of steps) {
    yield step.map((one) => {
      const at = one[timeField] as Date;
      return { _id: one._id, at, shown: present<object>(schema, one, { kind, at }) };
    });
  }
}
