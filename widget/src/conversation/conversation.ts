import { MAX_EMAIL, MAX_NICKNAME, MAX_PAGE_TITLE, MAX_PAGE_URL, MAX_PHONE } from '@parlor/shared/limits';
import { batch, signal } from '@preact/signals';
import type { Host } from '../contract/host.ts';
import type { Visitor } from '../contract/page.ts';
import { truncate } from '../platform/code-points.ts';
import type { Store } from '../platform/storage.ts';
import { warn } from '../platform/warn.ts';
import type { Waiting } from '../transport/outbox.ts';
import { createQueue, type OutItem } from '../transport/queue.ts';

/** A visitor's details: the name here, the setting that asks for it, the name in the API, how long it may be. */
export const FIELDS = [
  ['name', 'is_ask_name', 'nickname', MAX_NICKNAME],
  ['email', 'is_ask_email', 'email', MAX_EMAIL],
  ['phone', 'is_ask_phone', 'phone_number', MAX_PHONE],
] as const;

export type Conversation = ReturnType<typeof createConversation>;

/**
 * What it takes to say something and not to lose it: the visitor and the queue. How it gets to the server, and what
 * the other side says, is `history.ts`, which comes once something has been said.
 */
export function createConversation({ server, token, emit }: Host, store: Store, prefix: string) {
  const queue = createQueue(store);

  /** The queue, with what was acknowledged but is not yet read back from the server. */
  const items = signal<OutItem[]>([]);
  const waiting = signal<Waiting>('');
  const visitor = signal<Visitor>({});
  /** True once the visitor has said something: the first screen is over, on each page and in each tab. */
  const started = signal(false);
  /** Why the lead was refused: the form shows it again, each reason at its field. */
  const refusedLead = signal<Record<string, string> | undefined>(undefined);

  /** Reads the queue afresh, as this or another tab left it. */
  const readItems = () =>
    batch(() => {
      items.value = queue.items();
      refusedLead.value = items.value.find((item) => item.kind === 'lead' && item.refused)?.refused?.fields;
    });

  /** Something was said: it shows, and goes on its way. */
  function said(): void {
    store.set('run', 1);
    started.value = true;
    readItems();
    conversation.onQueued?.();
  }

  /** What the visitor told of itself becomes a lead, once for each different telling. */
  function queueLead(byForm?: boolean): Record<string, string> {
    const lead: Record<string, string> = {};
    for (const [name, , api] of FIELDS) {
      const value = visitor.peek()[name];
      if (value) lead[api] = value;
    }
    const telling = JSON.stringify(lead);
    if (telling !== '{}' && store.get('lead') !== telling) {
      for (const item of items.peek()) if (item.kind === 'lead' && item.refused) queue.remove(item.id);
      store.set('lead', telling);
      queue.add(
        'lead',
        {
          ...lead,
          from_page_title: truncate(document.title, MAX_PAGE_TITLE),
          referrer: truncate(document.referrer, MAX_PAGE_URL),
        },
        byForm,
      );
    }
    return lead;
  }

  /** What a page says of its visitor is cut to what the server takes. */
  function setVisitor(told: Visitor): void {
    const next = { ...visitor.value };
    for (const [field, , , length] of FIELDS) {
      const value: unknown = told[field];
      if (/string|number/.test(typeof value)) next[field] = truncate(`${value}`.trim(), length);
      else if (value != null) warn('setVisitor: no text:', value);
    }
    keepVisitor(next);
  }

  function keepVisitor(next: Visitor): void {
    visitor.value = next;
    store.set('visitor', next);
  }

  const conversation = {
    store,
    prefix,
    server,
    token,
    queue,
    items,
    waiting,
    visitor,
    started,
    refusedLead,
    emit,
    readItems,
    setVisitor,
    keepVisitor,
    queueLead,
    /** A running conversation wants to know when something is to be sent, and when it is being written. */
    onQueued: undefined as (() => void) | undefined,
    onTyping: undefined as ((on: boolean) => void) | undefined,
    /** Queues a message of the visitor. */
    send(text: string): void {
      // A lone surrogate or a NUL, which the server refuses, is nothing that anyone typed.
      const body = text.replace(/\0|\p{Surrogate}/gu, '').trim();
      if (!body) return;
      queue.add('message', { body, ...queueLead() });
      said();
    },
    /** Takes what the visitor entered in the form: kept for the messages, and sent as a lead. */
    submitForm(visitor: Visitor): void {
      setVisitor(visitor);
      queueLead(true);
      said();
    },
    /** This or another tab of this visitor wrote to the store. */
    readStore(): void {
      readItems();
      visitor.value = store.get('visitor') ?? {};
      started.value = !!store.get('run');
      // A tab that is closed while it sends leaves the rest to the others.
      conversation.onQueued?.();
    },
  };
  conversation.readStore();
  return conversation;
}
