import { MAX_PAGE_TITLE, MAX_PAGE_URL, SESSION_LIFETIME_MS } from '@parlor/shared/limits';
import type { VisitorSession } from '../contract/server.ts';
import { truncate } from '../platform/code-points.ts';
import type { Store } from '../platform/storage.ts';
import type { TabLock } from '../platform/tab-lock.ts';
import { type Refusal, request } from './request.ts';

/** How long a new session's lock is held: a write to the store reaches other tabs only after a moment. */
const SPREAD_MS = 300;
/** After this it is renewed. */
const RENEW_AFTER_MS = SESSION_LIFETIME_MS / 3;

/** A session as it is kept. */
interface Kept extends VisitorSession {
  /** When it was made or renewed, by this device's clock: where that is wrong, what the server says of times is far away. */
  at?: number;
}

export const sessionsUrl = (server: string, token: string) => `${server}api/v1/widgets/${token}/sessions/`;

export interface Sessions {
  /** The session as it is kept, without asking the server. */
  current(): VisitorSession | undefined;
  /** A session that is good to use, made or renewed where needed; throws a `Refusal`. */
  ensure(): Promise<VisitorSession>;
  /** Forgets a session that the server no longer takes, unless it has been replaced already. */
  drop(used: VisitorSession): void;
}

/** The visitor's session: one for all tabs, kept in the store (docs/contract.md#visitors). */
export function createSessions(
  store: Store,
  url: string,
  locale: () => string,
  withLock: TabLock,
  signal: AbortSignal,
): Sessions {
  const current = () => store.get<Kept>('session');
  return {
    current,
    drop(used) {
      if (current()?.token === used.token) store.remove('session');
    },
    async ensure() {
      const fresh = () => {
        const session = current();
        return session && Math.abs(Date.now() - (session.at ?? 0)) < RENEW_AFTER_MS ? session : undefined;
      };
      return (
        fresh() ??
        new Promise<VisitorSession>((done, fail) => {
          withLock('session', async () => {
            const made = fresh();
            done(made ?? (await make()));
            if (!made) await spread();
          }).catch(fail);
        })
      );
    },
  };

  /** Until the other tabs see what was stored, or this one has gone. */
  function spread(): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, SPREAD_MS);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        done();
      });
    });
  }

  async function make(): Promise<VisitorSession> {
    const old = current();
    const page = {
      url: truncate(location.href, MAX_PAGE_URL),
      title: truncate(document.title, MAX_PAGE_TITLE),
      referrer: truncate(document.referrer, MAX_PAGE_URL),
    };
    const open = (visitor?: string) =>
      request<VisitorSession>(url, { body: { page, locale: locale() }, visitor, signal });
    const { body } = await open(old?.token).catch((refusal: Refusal) => {
      // Too old, or erased in another tab: the visitor begins anew.
      if (old && refusal.status === 401) return open();
      throw refusal;
    });
    // Without locks another tab may have been the first: what it says then goes to the room of that one.
    const other = current();
    if (other && other.token !== old?.token) return other;
    store.set('session', { ...body, at: Date.now() });
    return body;
  }
}
