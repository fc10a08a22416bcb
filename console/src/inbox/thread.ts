import type { ServerFrame } from '@parlor/shared';
import { TYPING_ENDS_AFTER_MS } from '@parlor/shared/limits';
import { computed, signal } from '@preact/signals';
import { asMessage, asNote } from './said.ts';
import { Stretch } from './stretch.ts';

/** The timeline is read this long after the first of changes that come together (milliseconds). */
const READ_AFTER_MS = 400;

/** What is said, noted and done in one conversation. */
export class Thread {
  readonly room: string;
  /** What is shown of what was. */
  readonly stretch: Stretch;
  /** Whether the visitor is typing. */
  readonly isTyping = signal(false);
  #typing: number | undefined;
  #refreshing: number | undefined;

  /** The visitor's latest message, where that is here. */
  readonly latestOfVisitor = computed(() =>
    this.stretch.isLive.value
      ? this.stretch.items.value.findLast((item) => item.kind === 'message' && !item.is_support_sender)?.uuid
      : undefined,
  );

  /** @param entry the uuid of what is to be shown; undefined: the newest */
  constructor(room: string, entry?: string) {
    this.room = room;
    this.stretch = new Stretch(room, entry);
  }

  take(frame: ServerFrame): void {
    if (frame.type === 'message.added' && frame.data.room.uuid === this.room) {
      const { room, ...said } = frame.data;
      this.stretch.tell(asMessage(said));
      if (!said.is_support_sender) this.#heardTyping(false);
    }
    if ((frame.type === 'note.added' || frame.type === 'note.changed') && frame.room === this.room) {
      const { mentioned, ...note } = frame.data;
      this.stretch.tell(asNote(note));
    }
    if (frame.type === 'note.deleted' && frame.room === this.room) this.stretch.drop(frame.data.uuid);
    if (frame.type === 'conversation.updated' && frame.data.uuid === this.room) {
      this.#refreshing ??= setTimeout(() => {
        this.#refreshing = undefined;
        void this.stretch.refresh();
      }, READ_AFTER_MS);
    }
    if (frame.type === 'typing' && frame.room === this.room && frame.data.sender === 'visitor') {
      this.#heardTyping(frame.data.is_typing);
    }
  }

  #heardTyping(isTyping: boolean): void {
    clearTimeout(this.#typing);
    this.isTyping.value = isTyping;
    if (isTyping) this.#typing = setTimeout(() => this.#heardTyping(false), TYPING_ENDS_AFTER_MS);
  }
}
