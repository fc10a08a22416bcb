import { VIEWING_AGAIN_AFTER_MS, VIEWING_ENDS_AFTER_MS, type Viewing as ViewingData } from '@parlor/shared';
import type { Logger } from 'pino';
import type { RoomPlace } from '../rooms/rooms.service.ts';
import type { Channel } from './channel.ts';
import type { Connection } from './connection.ts';
import { frameText } from './frames.ts';
import { KnownViewers } from './known-viewers.ts';

/** Others are told no more often than this of one who comes and goes. */
const PAUSE_MS = 1_000;
const LOOK_EVERY_MS = 250;

/** What others can be told of a member and a room. */
type Told = 'gone' | 'viewing' | 'typing';

/** A member in a room, at one or several sockets of this process. */
interface State {
  member: ViewingData['member'];
  room: RoomPlace;
  sockets: Map<string, { isTyping: boolean; saidAt: number }>;
  told: Told;
  toldAt: number;
}

const nowOf = ({ sockets }: State): Told => {
  if (sockets.size === 0) return 'gone';
  return [...sockets.values()].some(({ isTyping }) => isTyping) ? 'typing' : 'viewing';
};

/**
 * Tells members which colleagues view a room and write in it: throttled, and ended by itself when nothing more is heard
 * (docs/realtime.md#what-you-may-send).
 */
export class Viewing {
  readonly #channel: Pick<Channel, 'pass'>;
  readonly #log: Logger;
  readonly #states = new Map<string, State>();
  /** What each socket views: one room at a time. */
  readonly #bySocket = new Map<string, State>();
  readonly #known = new KnownViewers();
  #lookTimer: NodeJS.Timeout | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;

  constructor(channel: Pick<Channel, 'pass' | 'onEntry' | 'onForget'>, log: Logger) {
    this.#channel = channel;
    this.#log = log;
    channel.onEntry((entry) => {
      if (entry.name === 'viewing') this.#known.hear(entry);
    });
    channel.onForget((subject) => this.#forget(subject));
  }

  start(): void {
    this.#sweepTimer = setInterval(() => this.#known.sweep(), VIEWING_ENDS_AFTER_MS);
  }

  stop(): void {
    clearInterval(this.#sweepTimer);
    this.#stopLooking();
  }

  /** A member says at a socket which room it views. */
  said(
    socket: string,
    member: ViewingData['member'],
    room: RoomPlace,
    isTyping: boolean,
    now = performance.now(),
  ): void {
    const key = `${member.uuid} ${room._id}`;
    const known = this.#states.get(key);
    const state = known ?? { member, room, sockets: new Map(), told: 'gone', toldAt: -Infinity };
    // It may have another picture than it had before.
    state.member = member;
    if (this.#bySocket.get(socket) !== state) this.gone(socket);
    state.sockets.set(socket, { isTyping, saidAt: now });
    this.#bySocket.set(socket, state);
    if (!known) {
      this.#states.set(key, state);
      this.#tell(state, now);
    }
    this.#lookTimer ??= setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  /** The socket has gone, or its member views no room any more. */
  gone(socket: string): void {
    this.#bySocket.get(socket)?.sockets.delete(socket);
    this.#bySocket.delete(socket);
  }

  /** Tells what has changed since and may be told now. */
  look(now = performance.now()): void {
    for (const [key, state] of this.#states) {
      for (const [socket, { saidAt }] of state.sockets) {
        if (now - saidAt >= VIEWING_ENDS_AFTER_MS) this.gone(socket);
      }
      const isNews = nowOf(state) !== state.told;
      const isRenewed = [...state.sockets.values()].some(({ saidAt }) => saidAt > state.toldAt);
      const isDue = now >= state.toldAt + (isNews ? PAUSE_MS : VIEWING_AGAIN_AFTER_MS);
      if (isDue && (isNews || isRenewed)) this.#tell(state, now);
      // Not at once: whoever comes back within the pause is told after it.
      const isOver = state.told === 'gone' && now > state.toldAt + PAUSE_MS;
      if (isOver && state.sockets.size === 0) this.#states.delete(key);
    }
    if (this.#states.size === 0) this.#stopLooking();
  }

  /** Tells a member who has just become ready who views the rooms that it sees. */
  greet(connection: Connection): void {
    const { viewer } = connection;
    if (viewer?.side !== 'person') return;
    for (const entry of this.#known.of(viewer.account)) {
      const text = connection.sees(entry) ? frameText(entry, '') : undefined;
      if (text !== undefined) connection.send(text);
    }
  }

  /** Nobody views a room that was deleted; those who were told so are told of its end. */
  #forget(room: string): void {
    this.#known.forget(room);
    for (const state of this.#states.values()) {
      if (state.room._id !== room) continue;
      for (const socket of state.sockets.keys()) this.gone(socket);
    }
  }

  #stopLooking(): void {
    clearInterval(this.#lookTimer);
    this.#lookTimer = undefined;
  }

  #tell(state: State, now: number): void {
    const { member, room, sockets } = state;
    state.told = nowOf(state);
    state.toldAt = now;
    const { _id, account, widget } = room;
    const data: ViewingData = {
      member,
      is_viewing: state.told !== 'gone',
      is_typing: state.told === 'typing',
    };
    // Only where it has no other is a socket the one that is not told of itself.
    const [origin = ''] = sockets.size === 1 ? sockets.keys() : [];
    this.#channel
      .pass({ name: 'viewing', account, room: _id, widget, origin, data })
      // What passes is not worth trying again.
      .catch((error) => this.#log.debug({ err: error }, 'who views a room was not told'));
  }
}
