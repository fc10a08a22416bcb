import { TYPING_AGAIN_AFTER_MS, TYPING_ENDS_AFTER_MS } from '@parlor/shared/limits';
import type { KnownMessage } from '../contract/server.ts';
import { createLiveSocket, type Frame } from './live-socket.ts';
import type { Sessions } from './session.ts';

/** The live channel (docs/contract.md#live-channel). */
export interface LiveChannel {
  /** Says that the visitor is writing, or no longer. */
  typing(on: boolean): void;
  /** Says that the visitor has read up to this message. */
  read(uuid: string): void;
  /** A message was acknowledged: where no socket is ready, the answer to it is fetched soon. */
  acknowledged(): void;
  /** The device woke up, came online, or the page is looked at again. */
  wake(): void;
  /** Hears and asks nothing until it is woken. */
  rest(): void;
  stop(): void;
}

export interface LiveChannelOptions {
  server: string;
  sessions: Sessions;
  sync(): Promise<void>;
  receive(message: KnownMessage): void;
  typing(on: boolean): void;
  /** The other side, or this visitor on another device, has read what was sent up to then (ISO). */
  seen(sentAt: string): void;
  readElsewhere(sentAt: string): void;
  /** What the room is now. */
  room(room: { rating?: number | null; is_bot_use?: boolean }): void;
}

/** What both sides say over the live socket, and what follows from it. */
export function createLiveChannel(options: LiveChannelOptions): LiveChannel {
  const { sync, typing } = options;
  /** The newest event that is known. */
  let after: string | undefined;
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let lastRead: string | undefined;
  let toldTyping = 0;

  const socket = createLiveSocket({
    ...options,
    after: () => after,
    take,
    lost: () => typing(false),
  });
  const room = () => options.sessions.current()?.room.uuid;
  const tellRead = () => lastRead && socket.send({ type: 'read', room: room(), message: lastRead });

  function mark({ sender, sent_at }: { sender: string; sent_at: string }): void {
    if (sender === 'visitor') options.readElsewhere(sent_at);
    else options.seen(sent_at);
  }

  function take(frame: Frame): void {
    if (frame.id) after = frame.id;
    const { data } = frame;
    switch (frame.type) {
      case 'ready':
        socket.noteReady();
        // Without a known event the server replays nothing: what was said until now comes by REST, what was read so.
        if (!after) {
          sync();
          socket.send({ type: 'unread' });
        }
        after ??= frame.after;
        tellRead();
        break;
      case 'resync':
        sync();
        break;
      case 'message.added':
        options.receive(data);
        break;
      case 'chat.added':
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
        typing(data.is_typing);
        if (data.is_typing) quiet = setTimeout(typing, TYPING_ENDS_AFTER_MS, false);
    }
  }

  return {
    typing(on) {
      const now = Date.now();
      if (on ? now - toldTyping < TYPING_AGAIN_AFTER_MS : !toldTyping) return;
      toldTyping = on ? now : 0;
      socket.send({ type: 'typing', room: room(), is_typing: on });
    },
    read(uuid) {
      lastRead = uuid;
      tellRead();
    },
    acknowledged: socket.ask,
    wake() {
      socket.check();
      socket.ask();
    },
    rest: socket.hangUp,
    stop() {
      clearTimeout(quiet);
      socket.stop();
    },
  };
}
