import type { CreatedMessage, Note, ServerFrame, TimelineItem } from '@parlor/shared';
import { TYPING_ENDS_AFTER_MS } from '@parlor/shared/limits';
import { computed, signal } from '@preact/signals';
import { ApiError, ask, askPage } from '../api/client.ts';
import { me } from '../session/session.ts';

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

/** Something that was said, noted or done. */
export type Item = TimelineItem;
export type MessageItem = Extract<Item, { kind: 'message' }>;

const PAGE = 50;

/** What is kept of a conversation in which much is said, while nobody reads further back. */
const MOST = 400;

/** An event is told before it stands in the timeline, which is read this long after (milliseconds). */
const EVENTS_AFTER_MS = 400;

/** The order of a timeline: by time, then by uuid. */
const order = (a: Item, b: Item): number => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.uuid < b.uuid ? -1 : 1);

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

/** What is said, noted and done in one conversation, as far as it has been read. */
export class Thread {
  readonly room: string;
  readonly state = signal<'loading' | 'ready' | 'failed'>('loading');
  readonly outgoing = signal<readonly Outgoing[]>([]);
  readonly shownOutgoing = computed(() => this.outgoing.value.filter(({ state }) => state !== 'told'));
  /** Whether the visitor is typing. */
  readonly isTyping = signal(false);
  readonly #byId = signal<ReadonlyMap<string, Item>>(new Map());
  readonly #older = signal<string | undefined>(undefined);
  #typing: number | undefined;
  #reading: number | undefined;
  #isReadingBack = false;

  /** Oldest first. */
  readonly items = computed(() => [...this.#byId.value.values()].sort(order));
  readonly hasOlder = computed(() => this.#older.value !== undefined);
  /** The visitor's latest message. */
  readonly latestOfVisitor = computed(
    () => this.items.value.findLast((item) => item.kind === 'message' && !item.is_support_sender)?.uuid,
  );

  readonly #latest: string;

  constructor(room: string) {
    this.room = room;
    this.#latest = `conversations/${room}/timeline/?limit=${PAGE}`;
    void this.read();
  }

  /** Reads the latest part; if it does not reach back to what is here, it takes its place. */
  async read(): Promise<void> {
    try {
      const { items, next } = await askPage<Item>(this.#latest);
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

  /** Reads what was before. */
  async readOlder(): Promise<void> {
    const path = this.#older.value;
    if (path === undefined || this.#isReadingBack) return;
    this.#isReadingBack = true;
    this.#older.value = undefined;
    try {
      const { items, next } = await askPage<Item>(path);
      this.#put(items);
      this.#older.value = next;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#older.value = path;
    } finally {
      this.#isReadingBack = false;
    }
  }

  /** Forgets what is far back, where it is too much; whoever scrolls there reads it again. */
  async trim(): Promise<void> {
    if (this.#byId.value.size <= MOST || this.#isReadingBack) return;
    this.#isReadingBack = true;
    try {
      const { items, next } = await askPage<Item>(this.#latest);
      const oldest = items.at(-1);
      if (!oldest || next === undefined) return;
      this.#byId.value = new Map([...this.#byId.value].filter(([, item]) => order(item, oldest) >= 0));
      this.#put(items);
      this.#older.value = next;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    } finally {
      this.#isReadingBack = false;
    }
  }

  take(frame: ServerFrame): void {
    if (frame.type === 'message.added' && frame.data.room.uuid === this.room) {
      const { room, ...said } = frame.data;
      this.#put([asMessage(said)]);
      if (said.author?.uuid === me.value?.uuid) this.#told(said.body, false);
      if (!said.is_support_sender) this.#heardTyping(false);
    }
    if ((frame.type === 'note.added' || frame.type === 'note.changed') && frame.room === this.room) {
      const { mentioned, ...note } = frame.data;
      this.#put([asNote(note)]);
      if (frame.type === 'note.added' && note.author?.uuid === me.value?.uuid) this.#told(note.body, true);
    }
    if (frame.type === 'note.deleted' && frame.room === this.room) this.#drop(frame.data.uuid);
    if (frame.type === 'conversation.updated' && frame.data.uuid === this.room) {
      this.#reading ??= setTimeout(() => {
        this.#reading = undefined;
        void this.read();
      }, EVENTS_AFTER_MS);
    }
    if (frame.type === 'typing' && frame.room === this.room && frame.data.sender === 'visitor') {
      this.#heardTyping(frame.data.is_typing);
    }
  }

  /** Sends an answer or a note; it stands in the conversation from now on, sent or not. */
  async send(body: string, isNote: boolean, after?: () => void): Promise<void> {
    const key = newKey();
    this.outgoing.value = [...this.outgoing.value, { key, body, isNote, state: 'sending', after }];
    await this.retry(key);
  }

  /** Sends once more what could not be sent. */
  async retry(key: string): Promise<void> {
    const one = this.outgoing.value.find((waiting) => waiting.key === key);
    if (!one) return;
    this.#mark(key, 'sending');
    try {
      this.#put([one.isNote ? await this.#sendNote(one) : await this.#sendMessage(one)]);
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
    const { uuid = '', name = '' } = me.value ?? {};
    return asMessage({ author: { uuid, name }, ...sent });
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

  #put(items: readonly Item[]): void {
    const next = new Map(this.#byId.value);
    // What was read by REST says more than what the channel told.
    for (const one of items) next.set(one.uuid, { ...next.get(one.uuid), ...one } as Item);
    this.#byId.value = next;
  }

  #drop(uuid: string): void {
    const next = new Map(this.#byId.value);
    if (next.delete(uuid)) this.#byId.value = next;
  }

  #heardTyping(isTyping: boolean): void {
    clearTimeout(this.#typing);
    this.isTyping.value = isTyping;
    if (isTyping) this.#typing = setTimeout(() => this.#heardTyping(false), TYPING_ENDS_AFTER_MS);
  }
}
