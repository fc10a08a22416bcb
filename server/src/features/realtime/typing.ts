import {
  type Side,
  TYPING_AGAIN_AFTER_MS,
  TYPING_ENDS_AFTER_MS,
  type Typing as TypingData,
} from '@parlor/shared';
import type { Logger } from 'pino';
import type { RoomPlace } from '../rooms/rooms.service.ts';
import type { Channel } from './channel.ts';

/** Others are told no more often than this of one who starts and stops. */
const PAUSE_MS = 1_000;
const LOOK_EVERY_MS = 250;

/** One side of a conversation. */
interface Typist {
  room: RoomPlace;
  /** The connection, which is not told of itself. */
  origin: string;
  sender: Side;
  nickname: string;
}

interface State {
  typist: Typist;
  isTyping: boolean;
  saidAt: number;
  /** What others were told last, and when. */
  told: boolean;
  toldAt: number;
}

/** A visitor is one, at however many sockets: each of them would be told of by itself. */
const keyOf = ({ origin, room: { _id }, sender }: Typist): string =>
  sender === 'visitor' ? `visitor ${_id}` : `${origin} ${_id}`;

/** Tells who is typing: throttled, and ended by itself when nothing more is heard. */
export class Typing {
  readonly #channel: Pick<Channel, 'pass'>;
  readonly #log: Logger;
  readonly #states = new Map<string, State>();
  #timer: NodeJS.Timeout | undefined;

  constructor(channel: Pick<Channel, 'pass'>, log: Logger) {
    this.#channel = channel;
    this.#log = log;
  }

  said(typist: Typist, isTyping: boolean, now = performance.now()): void {
    const key = keyOf(typist);
    const state = this.#states.get(key);
    if (state) {
      Object.assign(state, { typist, isTyping, saidAt: now });
    } else if (isTyping) {
      const fresh = { typist, isTyping, saidAt: now, told: false, toldAt: Number.NEGATIVE_INFINITY };
      this.#states.set(key, fresh);
      this.#tell(fresh, now);
    }
    this.#timer ??= setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  /** The connection has gone: who typed there has stopped. */
  gone(origin: string): void {
    if (this.#states.size === 0) return;
    for (const state of this.#states.values()) {
      if (state.typist.origin === origin) state.isTyping = false;
    }
  }

  /** Tells what has changed since and may be told now. */
  look(now = performance.now()): void {
    for (const [key, state] of this.#states) {
      if (state.isTyping && now - state.saidAt > TYPING_ENDS_AFTER_MS) state.isTyping = false;
      const isDue =
        state.isTyping === state.told ? state.toldAt + TYPING_AGAIN_AFTER_MS : state.toldAt + PAUSE_MS;
      const isNews = state.isTyping !== state.told || (state.isTyping && state.saidAt > state.toldAt);
      if (isNews && now >= isDue) this.#tell(state, now);
      if (!state.isTyping && !state.told && now > state.toldAt + PAUSE_MS) this.#states.delete(key);
    }
    if (this.#states.size === 0) this.stop();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tell(state: State, now: number): void {
    const { room, origin, sender, nickname } = state.typist;
    const { _id, account, widget } = room;
    state.told = state.isTyping;
    state.toldAt = now;
    const data: TypingData = { sender, nickname, is_typing: state.isTyping };
    // What passes is not worth trying again.
    this.#channel
      .pass({ name: 'typing', account, room: _id, widget, origin, data })
      .catch((error) => this.#log.debug({ err: error }, 'typing was not told'));
  }
}
