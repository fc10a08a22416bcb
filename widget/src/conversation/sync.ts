import { batch, signal } from '@preact/signals';
import type { KnownMessage } from '../contract/server.ts';
import { pauseAfter } from '../transport/outbox.ts';
import { type Answer, Refusal } from '../transport/request.ts';
import type { Sender } from '../transport/sender.ts';
import type { Conversation } from './conversation.ts';
import type { MessageLog } from './message-log.ts';

const PAGE = 50;
/** Pages that do not reach what is known, after which the gap is not closed: the rest loads by scrolling. */
const GAP_PAGES = 5;

/** Reads by REST what was said: since the last known message, and page by page before the oldest one. */
export function createSync(
  { items, queue }: Conversation,
  { sessions, ask, signal: life }: Sender,
  log: MessageLog,
) {
  const loading = signal<'' | 'loading' | 'failed'>('');
  /** The address of the page before the oldest known message, while there is one. */
  const older = signal<string | undefined>(undefined);
  /** False until the first page has come; what is on it is no news. */
  let synced = false;
  /** The time (ISO) up to which nothing is missing: what was last read begins there. What came by other ways since, live
   *  or as an answer to one's own words, may stand behind a gap. */
  let whole = '';
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let syncing: Promise<void> | undefined;
  let stale = false;

  /** One at a time: asked meanwhile, it reads once more, for what was said since. What comes live while it reads
   *  is shown at once, but told of afterwards, in the order in which all of it was said. */
  function sync(): Promise<void> {
    stale = true;
    syncing ??= readAll();
    return syncing;
  }

  async function readAll(): Promise<void> {
    while (stale && !life.aborted) {
      stale = false;
      await read();
    }
    syncing = undefined;
    if (!life.aborted) log.announce();
  }

  /** Gets what was said since the last known message; the first time, the latest page. */
  async function read(): Promise<void> {
    clearTimeout(retry);
    const session = sessions.current();
    if (!session) return;
    if (!synced) loading.value = 'loading';
    try {
      let url: string | undefined = `messages/?room=${session.room.uuid}&limit=${PAGE}`;
      let closed = false;
      const found: KnownMessage[] = [];
      for (let page = 0; url && !closed && page < (synced ? GAP_PAGES : 1); page++) {
        const { body, next }: Answer<KnownMessage[]> = await ask(url);
        found.push(...body);
        url = next;
        closed = body.some((message) => message.sent_at <= whole);
      }
      batch(() => {
        if (!closed) {
          older.value = url;
          // What stands before a gap comes again by scrolling, in its place.
          if (url) log.forgetBefore(found.at(-1)?.sent_at ?? '');
        }
        whole = found[0]?.sent_at ?? whole;
        // Lists begin with the newest; who is told of it hears it in the order in which it was said.
        log.receive(found.reverse(), synced);
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

  return {
    loading,
    older,
    sync,
    /** Takes in what came live. */
    receive(message: KnownMessage): void {
      log.receive([message], true);
      if (!syncing) log.announce();
    },
    async loadOlder(): Promise<void> {
      const url = older.peek();
      if (!url || loading.peek()) return;
      loading.value = 'loading';
      const page = await ask<KnownMessage[]>(url).catch(() => undefined);
      batch(() => {
        if (page && url === older.peek()) {
          older.value = page.next;
          log.receive(page.body, false);
        }
        loading.value = '';
      });
    },
    /** Reads no more until it is asked to; resolves when nothing is being read. */
    async rest(): Promise<void> {
      await syncing;
      clearTimeout(retry);
    },
    stop: () => clearTimeout(retry),
  };
}
