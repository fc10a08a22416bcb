import type { ClientFrameInput, ServerFrame } from '@parlor/shared';
import { CLOSE_CODES, NOT_AUTHENTICATED, PING_EVERY_MS } from '@parlor/shared/limits';
import { batch, signal } from '@preact/signals';
import { checkMember, loadSession } from '../session/session.ts';
import { memberOfPage } from './client.ts';

/** `offline` while it is being tried again. */
export const connection = signal<'connecting' | 'live' | 'offline'>('connecting');

/** What of the channel the console takes in. */
export interface Listener {
  onFrame(frame: ServerFrame): void;
  /** More has happened than the channel can tell: everything has to be read anew. */
  onResync(): void;
}

/** The pages that take in frames while they are open. */
const pages = new Set<Listener>();

/** Gives a page what the channel tells, until the function that comes back is called. */
export const listen = (listener: Listener): (() => void) => {
  pages.add(listener);
  return () => {
    pages.delete(listener);
  };
};

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
/** The back-off starts over after a connection that was open for this long (milliseconds). */
const STEADY_AFTER_MS = 10_000;
/** How long a connection may not answer when it is asked whether it is still there. */
const PONG_WITHIN_MS = 10_000;

/** The longest that what comes together is gathered for: by the next picture of a page that is seen (milliseconds). */
const GATHER_MS = 200;

/**
 * The live channel of whoever is signed in, by the session's cookie (docs/realtime.md). It comes back by itself, and
 * asks for what it has missed by the id of the last event that it has.
 */
class Live {
  readonly #listener: Listener;
  #socket: WebSocket | undefined;
  #after: string | undefined;
  #pause = FIRST_PAUSE_MS;
  #retry: number | undefined;
  /** When it was ready last. */
  #readyAt = 0;
  #ping: number | undefined;
  #deadline: number | undefined;
  #isStopped = false;
  /** What has come and is not taken in yet. */
  #frames: ServerFrame[] = [];

  constructor(listener: Listener) {
    this.#listener = listener;
    addEventListener('online', this.#now);
    document.addEventListener('visibilitychange', this.#seen);
    this.#connect();
  }

  /** Sends a frame that is worth nothing later; nothing while there is no connection. */
  send(frame: ClientFrameInput): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  stop(): void {
    this.#isStopped = true;
    removeEventListener('online', this.#now);
    document.removeEventListener('visibilitychange', this.#seen);
    clearTimeout(this.#retry);
    this.#quiet();
    this.#leave();
  }

  /** The network is back: no pause is waited for. */
  readonly #now = (): void => {
    if (connection.value === 'live') return;
    clearTimeout(this.#retry);
    this.#connect();
  };

  /** Somebody looks again, as at a phone that was put away. */
  readonly #seen = (): void => {
    if (document.visibilityState !== 'visible') return;
    void checkMember();
    if (connection.value === 'live') this.#check();
    else if (this.#socket?.readyState !== WebSocket.CONNECTING) this.#now();
  };

  #connect(): void {
    this.#leave();
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/v1/realtime`);
    this.#socket = socket;
    socket.onopen = () => {
      const member = memberOfPage();
      socket.send(
        JSON.stringify({ type: 'auth', scheme: 'Session', member, counts: true, after: this.#after }),
      );
      this.#watch();
    };
    socket.onmessage = ({ data }) => {
      if (this.#socket !== socket) return;
      this.#watch();
      this.#gather(JSON.parse(String(data)) as ServerFrame);
    };
    socket.onclose = ({ code }) => {
      if (this.#socket !== socket || this.#isStopped) return;
      this.#quiet();
      // Where the server closes each one by itself, the back-off goes on; one that the network cut is back at once.
      const isSteady = performance.now() - this.#readyAt > STEADY_AFTER_MS;
      if (connection.value === 'live' && (isSteady || code < CLOSE_CODES.violation))
        this.#pause = FIRST_PAUSE_MS;
      connection.value = 'offline';
      // Whether somebody is still signed in is the session's to say.
      if (code === NOT_AUTHENTICATED) void loadSession();
      this.#retry = setTimeout(() => this.#connect(), this.#pause * (0.5 + Math.random()));
      this.#pause = Math.min(MAX_PAUSE_MS, this.#pause * 2);
    };
  }

  /** Closes the connection; one that is only coming about as soon as it has, which browsers would call a failure before. */
  #leave(): void {
    const socket = this.#socket;
    if (socket?.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close();
    else socket?.close();
  }

  /** What comes in one moment changes the page once: a busy account would keep a slow phone drawing. */
  #gather(frame: ServerFrame): void {
    this.#frames.push(frame);
    if (this.#frames.length > 1) return;
    const take = (): void => {
      // A page that is not seen would keep all that wait for its next picture.
      cancelAnimationFrame(picture);
      clearTimeout(timer);
      const frames = this.#frames;
      this.#frames = [];
      if (this.#isStopped) return;
      batch(() => {
        for (const one of frames) this.#take(one);
      });
    };
    const picture = requestAnimationFrame(take);
    const timer = setTimeout(take, GATHER_MS);
  }

  #take(frame: ServerFrame): void {
    if ('id' in frame) this.#after = frame.id;
    if (frame.type === 'ready') {
      // What the first page of everything was read after is not missed either.
      const isFirst = this.#after === undefined;
      this.#after ??= frame.after;
      this.#readyAt = performance.now();
      connection.value = 'live';
      if (isFirst) this.#each((one) => one.onResync());
      else void checkMember();
      return;
    }
    if (frame.type === 'resync') {
      void checkMember();
      this.#each((one) => one.onResync());
    } else this.#each((one) => one.onFrame(frame));
  }

  #each(tell: (listener: Listener) => void): void {
    for (const listener of [this.#listener, ...pages]) tell(listener);
  }

  /** Something was heard: if nothing more is, it is asked for, and a connection that does not answer is given up. */
  #watch(): void {
    this.#quiet();
    this.#ping = setTimeout(() => this.#check(), PING_EVERY_MS);
  }

  #check(): void {
    this.#quiet();
    this.send({ type: 'ping' });
    this.#deadline = setTimeout(() => this.#giveUp(), PONG_WITHIN_MS);
  }

  #giveUp(): void {
    connection.value = 'offline';
    this.#connect();
  }

  #quiet(): void {
    clearTimeout(this.#ping);
    clearTimeout(this.#deadline);
  }
}

let live: Live | undefined;

/** Connects, until the function that comes back is called. */
export const goLive = (listener: Listener): (() => void) => {
  const own = new Live(listener);
  live = own;
  return () => {
    own.stop();
    if (live === own) live = undefined;
    connection.value = 'connecting';
  };
};

/** Sends a frame, if there is a connection. */
export const tell = (frame: ClientFrameInput): void => live?.send(frame);
