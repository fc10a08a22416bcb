import { batch, computed, effect, signal } from '@preact/signals';
import { createLive } from '../transport/live-channel.ts';
import { pauseAfter } from '../transport/outbox.ts';
import { type Answer, Refusal } from '../transport/request.ts';
import { createSender } from '../transport/sender.ts';
import type { Core } from './conversation.ts';
import { merge, type Said } from './timeline.ts';

export type History = ReturnType<typeof createHistory>;

const PAGE = 50;
/** Pages without a known message after which the gap is not closed: the rest loads by scrolling. */
const GAP_PAGES = 5;

/** What was said, by both sides, and the channels it comes over. `heard` is told of each new message of the
 *  other side. */
export function createHistory(core: Core, locale: () => string, heard: (body: string) => void) {
  const { store, items, queue, server } = core;
  const sender = createSender(core, locale, () => live.acknowledged());
  const { sessions, ask, signal: life } = sender;
  const keys = new Map<string, string>();
  const said = signal<readonly Said[]>([]);
  const loading = signal<'' | 'loading' | 'failed'>('');
  /** The address of the page before the oldest known message, while there is one. */
  const older = signal<string | undefined>(undefined);
  const readUpTo = signal(store.get<string>('read') ?? '');
  const seenUpTo = signal('');
  const typing = signal(false);
  /** True once a person has taken over from the bot, or was asked to. */
  const botLeft = signal(!!store.get('person'));
  const rating = signal(store.get<number>('rating') ?? 0);
  const unread = computed(
    () =>
      said.value.filter((message) => message.is_support_sender && message.sent_at > readUpTo.value).length,
  );
  /** False until the first page has come; what is on it is no news. */
  let synced = false;
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let skipped = false;
  let syncing = false;
  let stale = false;
  /** What the other side has just said, until the page is told of it. */
  const news: Said[] = [];

  /** Takes messages in; an own one that may be what a request still under way has made waits for its answer. */
  function receive(messages: readonly Said[], isNews: boolean): void {
    const pending = new Set(items.peek().map((item) => !item.sent && item.data.body?.normalize()));
    const known = said.peek();
    batch(() => {
      const taken = messages.filter((message) => {
        const doubtful = !message.is_support_sender && !keys.has(message.uuid) && pending.has(message.body);
        skipped ||= doubtful;
        return !doubtful;
      });
      said.value = merge(known, taken);
      if (taken.some((message) => message.is_support_sender)) typing.value = false;
    });
    if (!isNews) return;
    const ids = new Set(known.map((message) => message.uuid));
    news.push(...messages.filter((message) => message.is_support_sender && !ids.has(message.uuid)));
    if (!syncing) tell();
  }

  function tell(): void {
    for (const { uuid, body } of merge([], news.splice(0))) {
      core.emit('message:received', { uuid, body });
      heard(body);
    }
  }

  /** One at a time: asked meanwhile, it reads once more, for what was said since. What comes live while it reads
   *  is shown at once, but told of afterwards, in the order in which all of it was said. */
  async function sync(): Promise<void> {
    stale = true;
    if (syncing) return;
    syncing = true;
    while (stale && !life.aborted) {
      stale = false;
      await read();
    }
    syncing = false;
    if (!life.aborted) tell();
  }

  /** Gets what was said since the last known message; the first time, the latest page. */
  async function read(): Promise<void> {
    clearTimeout(retry);
    const session = sessions.current();
    if (!session) return;
    if (!synced) loading.value = 'loading';
    try {
      let url: string | undefined = `messages/?room=${session.room.uuid}&limit=${PAGE}`;
      const known = new Set(said.peek().map((message) => message.uuid));
      const found: Said[] = [];
      for (let page = 0; url && page < (synced ? GAP_PAGES : 1); page++) {
        const { body, next }: Answer<Said[]> = await ask(url);
        found.push(...body);
        url = next;
        if (body.some((message) => known.has(message.uuid))) break;
      }
      batch(() => {
        if (!synced) older.value = url;
        // Lists begin with the newest; who is told of it hears it in the order in which it was said.
        receive(found.reverse(), synced);
        loading.value = '';
      });
      synced = true;
      failures = 0;
      for (const { id, sent, kind } of items.peek()) {
        if (sent && (kind !== 'message' || found.some((message) => message.uuid === sent.uuid)))
          queue.remove(id);
      }
    } catch (error) {
      if (life.aborted) return;
      const { status, passing } = error instanceof Refusal ? error : new Refusal(0);
      if (status === 401) sessions.drop(session);
      if (passing) retry = setTimeout(sync, pauseAfter(failures++, Math.random()));
      // Until the first message has arrived there is no such room: nothing to read is no failure.
      loading.value = synced || status === 404 || status === 400 ? '' : 'failed';
    }
  }

  async function loadOlder(): Promise<void> {
    const url = older.peek();
    if (!url || loading.peek()) return;
    loading.value = 'loading';
    const page = await ask<Said[]>(url).catch(() => undefined);
    batch(() => {
      if (page) {
        older.value = page.next;
        receive(page.body, false);
      }
      loading.value = '';
    });
  }

  const unfollow = effect(() => {
    let busy = false;
    for (const { id, kind, sent, refused, data } of items.value) {
      if (!sent) busy ||= !refused;
      else if (kind === 'message') {
        keys.set(sent.uuid, id);
        said.value = merge(said.peek(), [{ ...sent, body: data.body ?? '', is_support_sender: false }]);
      }
    }
    if (skipped && !busy) {
      skipped = false;
      sync();
    }
  });

  function leave(left: boolean): void {
    botLeft.value = left;
    store.set('person', left);
  }

  function readTo(sentAt: string): void {
    if (sentAt <= readUpTo.peek()) return;
    readUpTo.value = sentAt;
    store.set('read', sentAt);
  }

  const live = createLive({
    server,
    sessions,
    sync,
    receive: (message) => receive([message], true),
    typing: (on) => {
      typing.value = on;
    },
    seen: (sentAt) => {
      if (sentAt > seenUpTo.peek()) seenUpTo.value = sentAt;
    },
    readElsewhere: readTo,
    room: (room) => {
      if (room.rating !== undefined) rating.value = room.rating ?? 0;
      if (room.is_bot_use !== undefined) leave(!room.is_bot_use);
    },
  });
  core.onTyping = live.typing;
  // Beside the live channel, not after it: that may never be ready.
  sync();

  return {
    keys,
    said,
    loading,
    older,
    seenUpTo,
    typing,
    rating,
    botLeft,
    unread,
    sender,
    sync,
    loadOlder,
    wake(): void {
      sender.kick();
      live.wake();
    },
    /** Asks for a person: the bot falls silent, and whoever answers reads why. */
    wantPerson(text: string): void {
      leave(true);
      queue.add('person', {});
      core.say(text);
    },
    /** Marks what the other side said as read, in every tab and at the server. */
    read(): void {
      const last = said.peek().findLast((message) => message.is_support_sender);
      if (!last || last.sent_at <= readUpTo.peek()) return;
      readTo(last.sent_at);
      live.read(last.uuid);
    },
    /** 1 to 5 stars; throws a `Refusal`. */
    async rate(stars: number): Promise<void> {
      const { room } = await sessions.ensure();
      await ask(`rooms/${room.label}/`, { method: 'PATCH', body: { rating: stars } });
      rating.value = stars;
      store.set('rating', stars);
      core.emit('rating', stars);
    },
    /** Another tab wrote; `sent`: it has read a sent message back from the server, and keeps it no longer. */
    readStore(sent: boolean): void {
      readUpTo.value = store.get('read') ?? '';
      rating.value = store.get('rating') ?? 0;
      botLeft.value = !!store.get('person');
      if (sent) live.acknowledged();
    },
    stop(): void {
      clearTimeout(retry);
      unfollow();
      sender.stop();
      live.stop();
      core.onTyping = undefined;
    },
  };
}
