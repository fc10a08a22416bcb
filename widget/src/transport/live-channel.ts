import type { Said } from '../conversation/timeline.ts';
import type { Sessions } from './session.ts';

/** The live channel (docs/contract.md#live-channel). */
export interface Live {
  /** Says that the visitor is writing, or no longer. */
  typing(on: boolean): void;
  /** Says that the visitor has read up to this message. */
  read(uuid: string): void;
  /** A message was acknowledged: where no socket is ready, the answer to it is fetched soon. */
  acknowledged(): void;
  /** The device woke up, came online, or the page is looked at again. */
  wake(): void;
  stop(): void;
}

export interface LiveOptions {
  server: string;
  sessions: Sessions;
  sync(): Promise<void>;
  receive(message: Said): void;
  typing(on: boolean): void;
  /** The other side, or this visitor on another device, has read what was sent up to then (ISO). */
  seen(sentAt: string): void;
  readElsewhere(sentAt: string): void;
  /** What the room is now. */
  room(room: { rating?: number | null; is_bot_use?: boolean }): void;
}

interface Frame {
  type: string;
  id?: string;
  after?: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a frame carries depends on its type, and on the server's age
  data?: any;
}

const PING_MS = 25_000;
/** The socket's token was refused, or its session ended. */
const REFUSED = 4401;
/** The other side is taken to have stopped when it has not said so again for this long. */
const TYPING_ENDS_MS = 6_000;
/** Who goes on writing says so again only after this long: the server counts frames. */
const TYPING_AGAIN_MS = 3_000;

/**
 * Keeps a socket open; while none is ready, asks by REST with growing pauses, so that a network or a proxy
 * that forbids WebSockets, or never answers them, costs seconds and no message.
 */
export function createLive(options: LiveOptions): Live {
  let socket: WebSocket | undefined;
  let ready = false;
  let after: string | undefined;
  let tries = 0;
  let heard = 0;
  let stopped = false;
  let refused = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let lastRead: string | undefined;
  let toldTyping = 0;

  const send = (frame: Record<string, unknown>) => {
    if (ready && socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  };
  const room = () => options.sessions.current()?.room.uuid;
  const tellRead = () => lastRead && send({ type: 'read', room: room(), message: lastRead });

  function mark({ sender, sent_at }: { sender: string; sent_at: string }): void {
    if (sender === 'visitor') options.readElsewhere(sent_at);
    else options.seen(sent_at);
  }

  function take(frame: Frame): void {
    if (frame.id) after = frame.id;
    const { data } = frame;
    switch (frame.type) {
      case 'ready':
        ready = true;
        calm();
        // Without a known event the server replays nothing: what was said until now comes by REST, what was read so.
        if (!after) {
          options.sync();
          send({ type: 'unread' });
        }
        after ??= frame.after;
        tellRead();
        break;
      case 'resync':
        options.sync();
        break;
      case 'message.added':
        options.receive(data);
        break;
      case 'room.updated':
        options.room(data);
        break;
      case 'read':
        mark(data);
        break;
      case 'unread':
        data[0]?.marks.forEach(mark);
        break;
      case 'typing':
        if (data.sender === 'visitor') break;
        clearTimeout(quiet);
        options.typing(data.is_typing);
        if (data.is_typing) quiet = setTimeout(options.typing, TYPING_ENDS_MS, false);
    }
  }

  async function open(): Promise<void> {
    // Only the first message makes a session; without one there is nothing to listen to.
    if (stopped || ready || !options.sessions.current()) return;
    again();
    if (socket) return;
    const session = await options.sessions.ensure().catch(() => undefined);
    if (stopped || socket || !session) return;
    try {
      socket = new WebSocket(`${options.server.replace(/^http/, 'ws')}api/v1/realtime`);
    } catch {
      return;
    }
    const mine = socket;
    heard = Date.now();
    mine.onopen = () => {
      const known = after ? { after } : {};
      mine.send(JSON.stringify({ type: 'auth', scheme: 'Visitor', token: session.token, ...known }));
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
      ready = false;
      options.typing(false);
      if (code === REFUSED) refused = true;
      again();
    };
  }

  function calm(): void {
    clearTimeout(retry);
    retry = undefined;
    tries = 0;
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
        if (refused || tries > 1) options.sync();
        refused = false;
        open();
      },
      Math.min(1_000 * 2 ** tries++, 60_000) * (0.8 + 0.4 * Math.random()),
    );
  }

  function ask(): void {
    if (ready) return;
    calm();
    options.sync();
    open();
  }

  /** A socket that has said nothing for two pings is dead, whatever the browser believes. */
  function check(): void {
    if (!socket) return;
    if (Date.now() - heard > 2 * PING_MS + 5_000) {
      const dead = socket;
      socket = undefined;
      ready = false;
      dead.close();
      open();
    } else send({ type: 'ping' });
  }
  const pulse = setInterval(check, PING_MS);

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
    typing(on) {
      const now = Date.now();
      if (on ? now - toldTyping < TYPING_AGAIN_MS : !toldTyping) return;
      toldTyping = on ? now : 0;
      send({ type: 'typing', room: room(), is_typing: on });
    },
    read(uuid) {
      lastRead = uuid;
      tellRead();
    },
    acknowledged: ask,
    wake() {
      check();
      ask();
    },
    stop() {
      stopped = true;
      clearTimeout(quiet);
      clearInterval(pulse);
      removeEventListener('pagehide', hangUp);
      hangUp();
    },
  };
}
