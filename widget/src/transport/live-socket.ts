import { NOT_AUTHENTICATED, PING_EVERY_MS } from '@parlor/shared/limits';
import type { Sessions } from './session.ts';

/** The pauses begin anew after a socket that was ready for this long (milliseconds). */
const STEADY_AFTER_MS = 10_000;

/** What comes and goes over the socket (docs/contract.md#live-channel). */
export interface Frame {
  type: string;
  id?: string;
  after?: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a frame carries depends on its type, and on the server's age
  data?: any;
}

export interface LiveSocketOptions {
  server: string;
  sessions: Sessions;
  /** The event after which the server is to replay; undefined for none. */
  after(): string | undefined;
  take(frame: Frame): void;
  /** The socket has gone. */
  lost(): void;
  /** While no socket is ready, what it would bring is asked for by REST. */
  sync(): Promise<void>;
}

/**
 * Keeps a socket open; while none is ready, asks by REST with growing pauses, so that a network or a proxy
 * that forbids WebSockets, or never answers them, costs seconds and no message.
 */
export function createLiveSocket({ server, sessions, after, take, lost, sync }: LiveSocketOptions) {
  let socket: WebSocket | undefined;
  let ready = false;
  let readyAt = 0;
  let tries = 0;
  let heard = 0;
  let stopped = false;
  let refused = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const send = (frame: Record<string, unknown>) => {
    if (ready && socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  };

  async function open(): Promise<void> {
    // Only the first message makes a session; without one there is nothing to listen to.
    if (stopped || ready || !sessions.current()) return;
    again();
    if (socket) return;
    const session = await sessions.ensure().catch(() => undefined);
    if (stopped || socket || !session) return;
    try {
      socket = new WebSocket(`${server.replace(/^http/, 'ws')}api/v1/realtime`);
    } catch {
      return;
    }
    follow(socket, session.token);
  }

  function follow(mine: WebSocket, token: string): void {
    heard = Date.now();
    mine.onopen = () => {
      const known = after();
      mine.send(JSON.stringify({ type: 'auth', scheme: 'Visitor', token, ...(known && { after: known }) }));
    };
    mine.onmessage = ({ data }) => {
      heard = Date.now();
      try {
        take(JSON.parse(data));
      } catch {
        // A frame that a newer server sends and this file does not understand is no reason to stop listening.
      }
    };
    mine.onclose = ({ code }) => {
      if (socket !== mine) return;
      socket = undefined;
      if (ready && performance.now() - readyAt > STEADY_AFTER_MS) tries = 0;
      ready = false;
      lost();
      if (code === NOT_AUTHENTICATED) refused = true;
      again();
    };
  }

  function calm(): void {
    endRetry();
    tries = 0;
  }

  function endRetry(): void {
    clearTimeout(retry);
    retry = undefined;
  }

  /**
   * Goes on until the channel is ready, also while a request for it is under way: nobody may ever answer that.
   */
  function again(): void {
    if (stopped || retry) return;
    retry = setTimeout(
      () => {
        retry = undefined;
        // Refused, or only too slow to say who it is in time: REST says for certain whether a session has ended.
        if (refused || tries > 1) sync();
        refused = false;
        open();
      },
      Math.min(1_000 * 2 ** tries++, 60_000) * (0.8 + 0.4 * Math.random()),
    );
  }

  /**
   * A socket that has said nothing for two pings is dead, whatever the browser believes. By the clock, which goes on while the
   * device sleeps: one that is put back tells nothing of a socket, and another one costs little.
   */
  function check(): void {
    if (!socket) return;
    if (Math.abs(Date.now() - heard) > 2 * PING_EVERY_MS + 5_000) {
      const dead = socket;
      socket = undefined;
      ready = false;
      dead.close();
      open();
    } else send({ type: 'ping' });
  }
  const pulse = setInterval(check, PING_EVERY_MS);

  function hangUp(): void {
    calm();
    const last = socket;
    socket = undefined;
    ready = false;
    // Browsers complain in the page's console about a socket that is closed before it is open.
    if (last?.readyState === 0) last.onopen = () => last.close();
    else last?.close();
  }
  // Browsers keep a page for "back" only where it holds no socket; when it is looked at again, it wakes up.
  addEventListener('pagehide', hangUp);

  open();

  return {
    send,
    check,
    hangUp,
    /** The server has said that it is ready. */
    noteReady(): void {
      ready = true;
      readyAt = performance.now();
      // The try that would have come had nobody answered is none.
      if (retry) tries--;
      endRetry();
    },
    /** Asks by REST, and for a socket, where none is ready. */
    ask(): void {
      if (ready) return;
      calm();
      sync();
      open();
    },
    stop(): void {
      stopped = true;
      clearInterval(pulse);
      removeEventListener('pagehide', hangUp);
      hangUp();
    },
  };
}
