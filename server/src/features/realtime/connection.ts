import type { IncomingMessage } from 'node:http';
import { CLOSE_CODES, type Marked, type Typing } from '@parlor/shared';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { randomLetters } from '../../platform/ids.ts';
import { isInView, isSameRestriction, type View } from '../members/view.ts';
import type { RoomPlace } from '../rooms/rooms.service.ts';
import type { EventLogEntry } from './event-log.model.ts';
import { ownFrame } from './frames.ts';

/**
 * A client that does not read is let go before it costs more than this many bytes
 * (docs/contract.md#live-channel).
 */
const MAX_BUFFERED_BYTES = 1_048_576;
/** A replay goes on when less than this waits. */
const DRAINED_BYTES = 65_536;
const DRAINED_WITHIN_MS = 5_000;
const DRAIN_LOOK_EVERY_MS = 20;

/** More frames than this in that time are a flood (docs/contract.md#operation). */
const MAX_FRAMES = 30;
/** A client that goes on sending while it is told that it has sent too many is not heard to the end. */
const CUT_OFF_AFTER_FRAMES = 300;
const FRAMES_WINDOW_MS = 10_000;

/** Rooms that need not be looked up for each frame. */
const MAX_KNOWN_ROOMS = 50;

/** Whether what is told is for members alone. */
const isForPeople = (name: string): boolean =>
  name === 'viewing' ||
  name === 'room.deleted' ||
  ['lead.', 'conversation.', 'note.'].some((kind) => name.startsWith(kind));

const AS_TEXT = { binary: false } as const;

/** What shows who a member is: its own token, or what stands for it. */
export type MemberCredential =
  | { kind: 'token'; fingerprints: readonly string[] }
  /** A program's token, or the session of a browser. */
  | { kind: 'program' | 'session'; uuid: string };

/** Who is at the other end, and what it sees. */
export type Viewer =
  | {
      side: 'visitor';
      account: string;
      room: string;
      session: string;
      widget: string;
      /** Of the page that it is on; empty where that is none of a browser. */
      origin: string;
    }
  | {
      side: 'person';
      account: string;
      member: string;
      /** What the member is called; empty where it has no name. */
      name: string;
      /** What the address of its picture begins with. */
      base: string;
      /** Those that it is restricted to. */
      widgets: View['widgets'];
      credential: MemberCredential;
      /** Whether it may read leads: a program may not, unless its scopes say so. */
      seesLeads: boolean;
      /** Whether it may say that it types, and how far it has read: a program may not, unless its scopes say so. */
      mayWrite: boolean;
      rooms: ReadonlySet<string> | undefined;
      /** Whether it is told the numbers of its inbox. */
      followsCounts: boolean;
    };

/** Tells the connections of this process from those of every other. */
const PROCESS = randomLetters(10);
let lastId = 0;

/** One client's socket. */
export class Connection {
  /** Unique among all server processes. */
  readonly id = `${PROCESS}-${++lastId}`;
  /** The request that asked for it, with a session's cookie; gone once its client has said who it is. */
  opened: IncomingMessage | undefined;
  readonly #socket: WebSocket;
  readonly #log: Logger;
  /** Since when it is known what `viewer` sees (`performance.now()`). */
  viewedAt = 0;
  /** Once its credential was found good. */
  viewer: Viewer | undefined;
  /** Whether new events go to it at once; before that it is being brought up to date. */
  isLive = false;
  /** When the client was last heard of (`performance.now()`). */
  heardAt = performance.now();
  /** In which step of each round the heartbeat asks it. */
  heartbeatTurn = 0;
  #rooms: Map<string, RoomPlace> | undefined;
  #frames = 0;
  #framesSince = 0;
  #isClosing = false;

  constructor(socket: WebSocket, opened: IncomingMessage, log: Logger) {
    this.#socket = socket;
    this.opened = opened;
    this.#log = log;
  }

  get isOpen(): boolean {
    return !this.#isClosing && this.#socket.readyState === this.#socket.OPEN;
  }

  /** Sends a frame's text, unless the client has stopped reading: then it is closed, with 1013. */
  send(text: string | Buffer): void {
    if (!this.isOpen) return;
    if (this.#socket.bufferedAmount + text.length > MAX_BUFFERED_BYTES) {
      this.close(CLOSE_CODES.try_again, 'too slow: what it does not read is not kept');
      return;
    }
    this.#socket.send(text, AS_TEXT);
  }

  /** Whether the client has read most of what it was sent. */
  get isDrained(): boolean {
    return this.#socket.bufferedAmount <= DRAINED_BYTES;
  }

  /** Resolves when the client has read most of what it was sent, or is gone. */
  async drained(): Promise<void> {
    const deadline = performance.now() + DRAINED_WITHIN_MS;
    while (this.isOpen && !this.isDrained) {
      if (performance.now() > deadline) {
        this.close(CLOSE_CODES.try_again, 'too slow: what it does not read is not kept');
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, DRAIN_LOOK_EVERY_MS));
    }
  }

  /** Whether an event is this client's to see. */
  sees(entry: EventLogEntry): boolean {
    const { viewer } = this;
    if (!viewer || viewer.account !== entry.account || entry.origin === this.id) return false;
    if (viewer.side === 'visitor') {
      // Whether somebody is there to answer is the same for all of the account's visitors.
      if (entry.name === 'presence') return entry.room === undefined;
      // What it types itself, at another socket.
      if (entry.name === 'typing' && (entry.data as Typing).sender === 'visitor') return false;
      return viewer.room === entry.room && !isForPeople(entry.name);
    }
    // What one member has read is its own, and no program's.
    if (entry.name === 'conversation.marked') {
      const isOwn = (entry.data as Marked).member === viewer.member && viewer.credential.kind !== 'program';
      if (!isOwn) return false;
    }
    if (!isInView(viewer, entry) || (entry.name.startsWith('lead.') && !viewer.seesLeads)) return false;
    return !viewer.rooms || (entry.room !== undefined && viewer.rooms.has(entry.room));
  }

  /** Its member sees other widgets from now on; what it has missed of them it reads by REST. */
  restrict(widgets: View['widgets']): void {
    if (this.viewer?.side !== 'person' || isSameRestriction(this.viewer.widgets, widgets)) return;
    this.viewer.widgets = widgets;
    this.viewedAt = performance.now();
    this.send(ownFrame({ type: 'resync' }));
  }

  /** A room of its account that a frame of this client has named before. */
  knownRoom(uuid: string): RoomPlace | undefined {
    return this.#rooms?.get(uuid);
  }

  learnRoom({ _id, account, widget }: RoomPlace): void {
    if (!this.#rooms || this.#rooms.size >= MAX_KNOWN_ROOMS) this.#rooms = new Map();
    this.#rooms.set(_id, { _id, account, widget });
  }

  /** Counts a frame that came in, pings and pongs too, and cuts a flood off. @returns false when that was one too many */
  countFrame(): boolean {
    const now = performance.now();
    if (now - this.#framesSince > FRAMES_WINDOW_MS) {
      this.#framesSince = now;
      this.#frames = 0;
    }
    if (++this.#frames > CUT_OFF_AFTER_FRAMES) this.cut();
    return this.#frames <= MAX_FRAMES;
  }

  ping(): void {
    if (this.isOpen) this.#socket.ping();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Tells the client why and ends; one that does not answer is cut off. */
  close(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.isLive = false;
    this.#socket.resume();
    if (code !== CLOSE_CODES.going_away) {
      const { account, side } = this.viewer ?? {};
      this.#log.info({ code, reason, account, side }, 'closing a realtime connection');
    }
    this.#socket.close(code, reason);
  }

  /** Ends without a word: nobody is there. */
  cut(): void {
    this.#isClosing = true;
    this.isLive = false;
    this.#socket.terminate();
  }
}
