import type { CreatedMessage, MessageInRoom, ServerFrame } from '@parlor/shared';
import { computed, signal } from '@preact/signals';
import { ApiError, ask, askPage } from '../api/client.ts';
import { me } from '../session/session.ts';

/** A message that is on its way, or could not be sent. */
export interface Outgoing {
  /** Also its Idempotency-Key: sent twice it is there once. */
  key: string;
  body: string;
  at: number;
  state: 'sending' | 'failed';
}

export type Said = Omit<MessageInRoom, 'room'>;

const PAGE = 50;

/** The order of a conversation: by time, then by uuid. */
const order = (a: Said, b: Said): number =>
  a.sent_at < b.sent_at ? -1 : a.sent_at > b.sent_at ? 1 : a.uuid < b.uuid ? -1 : 1;

/** What is said in one conversation, as far as it has been read. */
export class Thread {
  readonly room: string;
  readonly state = signal<'loading' | 'ready' | 'failed'>('loading');
  readonly outgoing = signal<readonly Outgoing[]>([]);
  /** Whether the visitor is typing. */
  readonly isTyping = signal(false);
  readonly #byId = signal<ReadonlyMap<string, Said>>(new Map());
  readonly #older = signal<string | undefined>(undefined);
  #typing: number | undefined;

  /** Oldest first. */
  readonly messages = computed(() => [...this.#byId.value.values()].sort(order));
  readonly hasOlder = computed(() => this.#older.value !== undefined);

  constructor(room: string) {
    this.room = room;
    void this.read();
  }

  /** Reads the latest messages; those that do not reach back to the ones that are here take their place. */
  async read(): Promise<void> {
    try {
      const { items, next } = await askPage<Said>(`messages/?room=${this.room}&limit=${PAGE}`);
      const reachesBack = next === undefined || items.some(({ uuid }) => this.#byId.value.has(uuid));
      if (!reachesBack) this.#byId.value = new Map();
      if (!reachesBack || this.state.value !== 'ready') this.#older.value = next;
      this.#put(items);
      this.state.value = 'ready';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (this.state.value === 'loading') this.state.value = 'failed';
    }
  }

  /** Reads what was said before. */
  async readOlder(): Promise<void> {
    const path = this.#older.value;
    if (path === undefined) return;
    this.#older.value = undefined;
    try {
      const { items, next } = await askPage<Said>(path);
      this.#put(items);
      this.#older.value = next;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#older.value = path;
    }
  }

  take(frame: ServerFrame): void {
    if (frame.type === 'message.added' && frame.data.room.uuid === this.room) {
      const { room, ...said } = frame.data;
      this.#put([{ phone_number: '', is_bot: false, ...said } as Said]);
      if (!said.is_support_sender) this.#heardTyping(false);
    }
    if (frame.type === 'typing' && frame.room === this.room && frame.data.sender === 'visitor') {
      this.#heardTyping(frame.data.is_typing);
    }
  }

  /** Sends an answer; it stands in the conversation from now on, sent or not. */
  async send(body: string): Promise<void> {
    const key = crypto.randomUUID();
    this.outgoing.value = [...this.outgoing.value, { key, body, at: Date.now(), state: 'sending' }];
    await this.retry(key);
  }

  /** Sends once more what could not be sent. */
  async retry(key: string): Promise<void> {
    const one = this.outgoing.value.find((waiting) => waiting.key === key);
    if (!one) return;
    this.#mark(key, 'sending');
    try {
      const message = { body: one.body, is_support_sender: true, room: { uuid: this.room } };
      const headers = { 'Idempotency-Key': key };
      const sent = await ask<CreatedMessage>('POST', 'messages/', message, { headers });
      const { uuid = '', name = '' } = me.value ?? {};
      this.#put([{ phone_number: '', is_bot: false, author: { uuid, name }, ...sent }]);
      this.discard(key);
    } catch (error) {
      this.#mark(key, 'failed');
      if (!(error instanceof ApiError)) throw error;
    }
  }

  /** Takes away what could not be sent. @returns its text */
  discard(key: string): string {
    const one = this.outgoing.value.find((waiting) => waiting.key === key);
    this.outgoing.value = this.outgoing.value.filter((waiting) => waiting !== one);
    return one?.body ?? '';
  }

  #mark(key: string, state: Outgoing['state']): void {
    this.outgoing.value = this.outgoing.value.map((one) => (one.key === key ? { ...one, state } : one));
  }

  #put(messages: readonly Said[]): void {
    const next = new Map(this.#byId.value);
    // What was read by REST says more than what the channel told.
    for (const one of messages) next.set(one.uuid, { ...next.get(one.uuid), ...one });
    this.#byId.value = next;
  }

  #heardTyping(isTyping: boolean): void {
    clearTimeout(this.#typing);
    this.isTyping.value = isTyping;
    if (isTyping) this.#typing = setTimeout(() => this.#heardTyping(false), TYPING_ENDS_MS);
  }
}

/** Whoever has stopped typing without a word is not typing any more (docs/realtime.md). */
const TYPING_ENDS_MS = 6_000;
