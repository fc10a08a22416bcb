import { batch, signal } from '@preact/signals';
import type { Host } from '../loader/host.ts';
import type { Visitor } from '../types.ts';
import { createOutbox, type OutItem, type Waiting } from './outbox.ts';
import { Refusal, request } from './request.ts';
import { type Alone, createSessions, cut } from './session.ts';
import type { Store } from './storage.ts';

/** How long the server lets each detail be (contract 3). */
const LENGTHS = [
  ['name', 150],
  ['email', 254],
  ['phone', 32],
] as const;

export type Core = ReturnType<typeof createCore>;

/**
 * What it takes to say something and not to lose it: the visitor, the session, the queue. What the other side
 * says is `talk/`, a file that only a running conversation loads.
 */
export function createCore(
  { server, token, emit }: Host,
  store: Store,
  prefix: string,
  locale: () => string,
) {
  const stop = new AbortController();
  // Where a page has no locks (plain http), the idempotency key alone stands between two tabs and a double.
  const alone: Alone = (name, task) =>
    (navigator.locks?.request(prefix + name, { signal: stop.signal }, task) ?? task()) as ReturnType<
      typeof task
    >;
  const sessions = createSessions(store, server, token, locale, alone, stop.signal);

  /** The queue, with what was acknowledged but is not yet read back from the server. */
  const items = signal<OutItem[]>([]);
  const waiting = signal<Waiting>('');
  const visitor = signal<Visitor>(store.get('visitor') ?? {});
  /** True once the visitor has said something: the first screen is over, on each page and in each tab. */
  const started = signal(!!store.get('run'));
  /** Why the lead was refused: the form shows it again, each reason at its field. */
  const refusedLead = signal<Record<string, string> | undefined>(undefined);

  /** Reads the queue afresh, as this or another tab left it. */
  const readItems = () =>
    batch(() => {
      items.value = outbox.items();
      refusedLead.value = items.value.find((item) => item.kind === 'lead' && item.refused)?.refused?.fields;
    });

  async function deliver(item: OutItem, again?: boolean): Promise<OutItem['sent']> {
    const session = await sessions.ensure();
    const lead = item.kind === 'lead';
    try {
      const { body } = await request<{ uuid: string; sent_at?: string }>(`${server}api/v1/${item.kind}s/`, {
        body: lead ? item.data : { ...item.data, room: { uuid: session.room.uuid } },
        visitor: session.token,
        key: item.id,
        signal: stop.signal,
      });
      return { uuid: body.uuid, sent_at: body.sent_at ?? '' };
    } catch (error) {
      const { status, fields } = error as Refusal;
      if (status === 401) {
        sessions.drop(session);
        if (!again) return deliver(item, true);
        throw new Refusal(503);
      }
      // Bad details, perhaps the page's own by `setVisitor`, must not cost the visitor the message.
      if (status === 400 && !lead && !fields.body && Object.keys(item.data).length > 1) {
        item.data = { body: item.data.body ?? '' };
        return deliver(item, again);
      }
      throw error;
    }
  }

  const outbox = createOutbox({
    store,
    deliver,
    // Only one tab sends at a time; a widget that goes away lets the others.
    alone: (task) => alone('out', task).catch(() => {}),
    changed(state, item) {
      waiting.value = state;
      readItems();
      if (!item) return;
      const lead = item.kind === 'lead';
      if (item.sent) {
        if (lead) emit('lead', visitor.value);
        else {
          emit('message:sent', { uuid: item.sent.uuid, body: item.data.body ?? '' });
          core.onSent?.();
        }
      } else {
        if (lead) store.remove('lead');
        emit('error', item.refused?.reason);
      }
    },
  });

  function begin(): void {
    store.set('run', 1);
    started.value = true;
  }

  /** What the visitor told of itself becomes a lead, once for each different telling. */
  function submitLead(): Record<string, string> {
    const { name, email, phone } = visitor.value;
    const told = { nickname: name, email, phone_number: phone };
    const lead = Object.fromEntries(Object.entries(told).filter(([, value]) => value)) as Record<
      string,
      string
    >;
    const telling = JSON.stringify(lead);
    if (telling !== '{}' && store.get('lead') !== telling) {
      for (const item of items.peek()) if (item.kind === 'lead' && item.refused) outbox.remove(item.id);
      store.set('lead', telling);
      outbox.add('lead', {
        ...lead,
        from_page_title: cut(document.title, 300),
        referrer: cut(document.referrer, 2_000),
      });
    }
    return lead;
  }

  /** What a page says of its visitor is cut to what the server takes. */
  function setVisitor(told: Visitor): void {
    const next = { ...visitor.value };
    for (const [field, length] of LENGTHS)
      if (told[field] != null) next[field] = cut(`${told[field]}`.trim(), length);
    visitor.value = next;
    store.set('visitor', next);
  }

  const core = {
    store,
    server,
    token,
    sessions,
    outbox,
    items,
    waiting,
    visitor,
    started,
    refusedLead,
    emit,
    signal: stop.signal,
    readItems,
    setVisitor,
    /** A running conversation wants to know when a message has been acknowledged, and when one is written. */
    onSent: undefined as (() => void) | undefined,
    onTyping: undefined as ((on: boolean) => void) | undefined,
    say(text: string): void {
      // A lone surrogate or a NUL, which the server refuses, is nothing that anyone typed.
      const body = cut(text.replace(/\0|\p{Surrogate}/gu, '').trim(), 10_000);
      if (!body) return;
      begin();
      outbox.add('message', { body, ...submitLead() });
      readItems();
    },
    /** Takes what the visitor entered in the form: kept for the messages, and sent as a lead. */
    introduce(visitor: Visitor): void {
      setVisitor(visitor);
      begin();
      submitLead();
      readItems();
    },
    /** Another tab of this visitor wrote to the store. */
    changedElsewhere(): void {
      readItems();
      visitor.value = store.get('visitor') ?? {};
      started.value = !!store.get('run');
    },
    stop(): void {
      stop.abort();
      outbox.stop();
    },
  };
  readItems();
  return core;
}
