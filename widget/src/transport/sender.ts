import type { VisitorSession } from '../contract/server.ts';
import type { Store } from '../platform/storage.ts';
import { createTabLock } from '../platform/tab-lock.ts';
import { clockSkew } from './clock-skew.ts';
import { createOutbox, type Waiting } from './outbox.ts';
import type { OutItem, Queue } from './queue.ts';
import { Refusal, type RequestOptions, request } from './request.ts';
import { createSessions, sessionsUrl } from './session.ts';

/** What the server answers, as far as anybody here wants to know. */
interface Acknowledgement {
  uuid: string;
  sent_at?: string;
}

export interface SenderOptions {
  /** The address under which the API lies, with a slash at its end. */
  server: string;
  token: string;
  /** Put before the names of locks; they belong to the whole origin. */
  prefix: string;
  store: Store;
  queue: Queue;
  /** The visitor's language, which a new session tells. */
  locale(): string;
  /** Told after each change of an item or of the queue's state. */
  changed(waiting: Waiting, item?: OutItem): void;
}

/** The lock of the tab that sends. */
const OUT = 'out';

export type Sender = ReturnType<typeof createSender>;

/** What brings the queue to the server, and everything else that is asked of the server in the visitor's name. */
export function createSender({ server, token, prefix, store, queue, locale, changed }: SenderOptions) {
  const stop = new AbortController();
  const { signal } = stop;
  const withLock = createTabLock(prefix, signal);
  const url = sessionsUrl(server, token);
  const sessions = createSessions(store, url, locale, withLock, signal);

  /** One request in the visitor's name; `path` is the API's, or a whole address. Throws a `Refusal`. */
  const ask = async <T>(
    path: string,
    options: Omit<RequestOptions, 'visitor' | 'signal'> = {},
    session?: VisitorSession,
  ) => {
    const visitor = (session ?? (await sessions.ensure())).token;
    return request<T>(new URL(path, `${server}api/v1/`).href, { ...options, visitor, signal });
  };

  /** Room and token are of one session, whatever another tab does meanwhile. */
  function post({ kind, data, id }: OutItem, session: VisitorSession) {
    const { uuid, label } = session.room;
    const [path, options] =
      kind === 'person'
        ? [`rooms/${label}/`, { method: 'PATCH', body: { is_bot_use: false } }]
        : [`${kind}s/`, { body: kind === 'lead' ? data : { ...data, room: { uuid } }, key: id }];
    return ask<Acknowledgement>(path, options, session);
  }

  async function deliver(item: OutItem, again?: boolean): Promise<OutItem['sent']> {
    const session = await sessions.ensure();
    try {
      const { body } = await post(item, session);
      if (body.sent_at) store.set('skew', clockSkew(item.at, Date.parse(body.sent_at), Date.now()));
      return { uuid: body.uuid, sent_at: body.sent_at ?? '' };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, fields } = error;
      if (status === 401) {
        sessions.drop(session);
        if (!again) return deliver(item, true);
        throw new Refusal(503);
      }
      // Bad details, perhaps the page's own by `setVisitor`, must not cost the visitor the message.
      const details = Object.keys(item.data).filter((name) => name !== 'body');
      if (status === 400 && item.kind === 'message' && !fields.body && details.length) {
        const bad = details.filter((name) => fields[name]);
        for (const name of bad.length ? bad : details) delete item.data[name];
        return deliver(item, again);
      }
      throw error;
    }
  }

  const outbox = createOutbox({
    queue,
    deliver,
    isOnline: () => navigator.onLine,
    // Only one tab sends at a time; a widget that goes away lets the others.
    withLock: (task) => withLock(OUT, task),
    changed,
  });
  outbox.flush();

  return {
    sessions,
    ask,
    signal,
    flush: outbox.flush,
    /** Deletes all that the visitor wrote, from the server and then from the queue; throws a `Refusal` when that could
     *  not be done. No tab sends meanwhile: what it sends would begin a new session, and stay. */
    erase: () =>
      withLock(OUT, async () => {
        const visitor = sessions.current()?.token;
        if (!visitor) return;
        await request(url, { method: 'DELETE', visitor, signal }).catch((refusal: Refusal) => {
          // A session that is gone has nothing left to delete.
          if (refusal.status !== 401 && refusal.status !== 404) throw refusal;
        });
        for (const { id } of queue.items()) queue.remove(id);
      }),
    stop(): void {
      stop.abort();
      outbox.stop();
    },
  };
}
