/** One client's connection: its messages in order, one answer each. */
import type { Socket } from 'node:net';
import { FrameReader } from './frames.ts';
import { type Request, readRequest, writeReply } from './message.ts';

/** Answers one request with a BSON document. Never fails. */
export type Answer = (request: Request, connection: Connection) => Uint8Array | Promise<Uint8Array>;

let lastConnectionId = 0;

export class Connection {
  readonly id = ++lastConnectionId;
  readonly #socket: Socket;
  readonly #answer: Answer;
  readonly #frames = new FrameReader();
  #busy = false;

  constructor(socket: Socket, answer: Answer) {
    this.#socket = socket;
    this.#answer = answer;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.#frames.push(chunk);
      // While one is worked on, the socket is read all the same: that its peer has gone is found out by nothing else.
      if (this.#busy) socket.pause();
      else this.#work();
    });
    // A peer that goes away is no fault of this side's.
    socket.on('error', () => socket.destroy());
  }

  /** Whether nobody takes an answer any more. */
  get isGone(): boolean {
    return this.#socket.readableEnded || this.#socket.destroyed;
  }

  /** Answers what is complete, one request after the other. */
  #work(): void {
    if (this.#busy) return;
    try {
      for (;;) {
        const message = this.#frames.next();
        if (!message) return;
        const request = readRequest(message);
        const answer = this.#answer(request, this);
        if (answer instanceof Promise) {
          this.#busy = true;
          answer
            .then((body) => {
              this.#busy = false;
              this.#reply(request, body);
              this.#goOn();
            })
            .catch(() => this.#socket.destroy());
          return;
        }
        this.#reply(request, answer);
        if (this.#isClogged) {
          this.#busy = true;
          this.#socket.pause();
          this.#socket.once('drain', () => {
            this.#busy = false;
            this.#goOn();
          });
          return;
        }
      }
    } catch {
      // Whatever follows on a broken stream can't be told from noise; the other connections go on.
      this.#socket.destroy();
    }
  }

  /** Whether the client does not read its answers: nothing more is worked out for it until it does. */
  get #isClogged(): boolean {
    return this.#socket.writableNeedDrain && !this.#socket.destroyed;
  }

  /** Reads on only where nothing that came waits: a client that does not wait for its answers is held back. */
  #goOn(): void {
    this.#work();
    if (!this.#busy || (this.#frames.isEmpty && !this.#isClogged)) this.#socket.resume();
  }

  #reply(request: Request, body: Uint8Array): void {
    if (request.moreToCome || !this.#socket.writable) return;
    this.#socket.cork();
    for (const part of writeReply(request, body)) this.#socket.write(part);
    this.#socket.uncork();
  }
}
