import type { CreatedMessage, Note, ServerFrame } from '@parlor/shared';
import { TYPING_ENDS_AFTER_MS } from '@parlor/shared/limits';
import { computed, signal } from '@preact/signals';
import { ApiError, ask } from '../api/client.ts';
import { me } from '../session/session.ts';
import { type Item, Stretch } from './stretch.ts';

/** A message or note that is on its way, or could not be sent. */
export interface Outgoing {
  /** Also its Idempotency-Key: sent twice it is there once. */
  key: string;
  body: string;
  isNote: boolean;
  /** The channel may tell of it before the request is answered; until then it is `told`, and not shown twice. */
  state: 'sending' | 'told' | 'failed';
  /** Done once it has been sent. */
  after?: (() => void) | undefined;
}

export type MessageItem = Extract<Item, { kind: 'message' }>;

/** An event is told before it stands in the timeline, which is read this long after (milliseconds). */
const EVENTS_AFTER_MS = 400;

const asMessage = (said: CreatedMessage & Partial<MessageItem>): MessageItem => ({
  phone_number: '',
  is_bot: false,
  ...said,
  kind: 'message',
  at: said.sent_at,
});

const asNote = (note: Note): Item => ({ ...note, kind: 'note', at: note.created_at });

/** 32 hex digits. `crypto.randomUUID` is missing where the console is served over plain http. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte + 256).toString(16).slice(1)).join(
    '',
  );

/** What is said, noted and done in one conversation, and what is about to be. */
export class Thread {
  readonly room: string;
  /** What is shown of what was. */
  readonly stretch: Stretch;
  readonly outgoing = signal<readonly Outgoing[]>([]);
  readonly shownOutgoing = computed(() => this.outgoing.value.filter(({ state }) => state !== 'told'));
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
      if (said.author?.uuid === me.value?.uuid) this.#told(said.body, false);
      if (!said.is_support_sender) this.#heardTyping(false);
    }
    if ((frame.type === 'note.added' || frame.type === 'note.changed') && frame.room === this.room) {
      const { mentioned, ...note } = frame.data;
      this.stretch.tell(asNote(note));
      if (frame.type === 'note.added' && note.author?.uuid === me.value?.uuid) this.#told(note.body, true);
    }
    if (frame.type === 'note.deleted' && frame.room === this.room) this.stretch.drop(frame.data.uuid);
    if (frame.type === 'conversation.updated' && frame.data.uuid === this.room) {
      this.#refreshing ??= setTimeout(() => {
        this.#refreshing = undefined;
        void this.stretch.refresh();
      }, EVENTS_AFTER_MS);
    }
    if (frame.type === 'typing' && frame.room === this.room && frame.data.sender === 'visitor') {
      this.#heardTyping(frame.data.is_typing);
    }
  }

  /** Sends an answer or a note; it stands at the end of the conversation from now on, sent or not. */
  async send(body: string, isNote: boolean, after?: () => void): Promise<void> {
    const key = newKey();
    this.outgoing.value = [...this.outgoing.value, { key, body, isNote, state: 'sending', after }];
    void this.stretch.showNewest();
    await this.retry(key);
  }

  /** Sends once more what could not be sent. */
  async retry(key: string): Promise<void> {
    const one = this.outgoing.value.find((waiting) => waiting.key === key);
    if (!one) return;
    this.#mark(key, 'sending');
    try {
      this.stretch.tell(one.isNote ? await this.#sendNote(one) : await this.#sendMessage(one));
      this.discard(key);
      one.after?.();
    } catch (error) {
      this.#mark(key, 'failed');
      if (!(error instanceof ApiError)) throw error;
    }
  }

  /** Takes away what could not be sent. @returns it */
  discard(key: string): Outgoing | undefined {
    const one = this.outgoing.value.find((waiting) => waiting.key === key);
    this.outgoing.value = this.outgoing.value.filter((waiting) => waiting !== one);
    return one;
  }

  async #sendMessage({ key, body }: Outgoing): Promise<Item> {
    const message = { body, is_support_sender: true, room: { uuid: this.room } };
    const headers = { 'Idempotency-Key': key };
    const sent = await ask<CreatedMessage>('POST', 'messages/', message, { headers, keepalive: true });
    const { uuid = '', name = '', avatar = null } = me.value ?? {};
    return asMessage({ author: { uuid, name, avatar }, ...sent });
  }

  async #sendNote({ key, body }: Outgoing): Promise<Item> {
    const headers = { 'Idempotency-Key': key };
    const options = { headers, keepalive: true };
    return asNote(await ask<Note>('POST', `conversations/${this.room}/notes/`, { body }, options));
  }

  #told(body: string, isNote: boolean): void {
    const one = this.outgoing.value.find(
      (waiting) => waiting.state === 'sending' && waiting.isNote === isNote && waiting.body === body,
    );
    if (one) this.#mark(one.key, 'told');
  }

  #mark(key: string, state: Outgoing['state']): void {
    this.outgoing.value = this.outgoing.value.map((one) => (one.key === key ? { ...one, state } : one));
  }

  #heardTyping(isTyping: boolean): void {
    clearTimeout(this.#typing);
    this.isTyping.value = isTyping;
    if (isTyping) this.#typing = setTimeout(() => this.#heardTyping(false), TYPING_ENDS_AFTER_MS);
  }
}
