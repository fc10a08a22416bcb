import { Socket } from 'node:net';

/** What a server may send in one attempt; replies to a mail are some hundred bytes. */
const MAX_RECEIVED_BYTES = 64 * 1_024;

/** Short, since what comes meanwhile is gone through afterwards, in a time that is quadratic in its lines. */
const LOOKED_AT_EVERY_MS = 1;

/**
 * A socket for one attempt, which ends once the server has sent more than 64 KiB: nodemailer bounds a reply, but reads blank
 * lines without end, and takes each from the beginning of a list of all of them.
 */
export class SmtpSocket extends Socket {
  static readonly TOO_MUCH = 'the server sent more than 64 KiB';
  readonly #watch: NodeJS.Timeout;
  /** Whether it has ended for that. */
  isFlooded = false;

  constructor() {
    super();
    // By time, since what comes by TLS is not read here.
    this.#watch = setInterval(() => this.#look(), LOOKED_AT_EVERY_MS).unref();
    this.once('close', () => clearInterval(this.#watch));
  }

  /** To be called when the attempt is over: one that has been connected is closed by its QUIT. */
  giveUpUnconnected(): void {
    if (this.pending) this.destroy();
  }

  #look(): void {
    if (this.bytesRead <= MAX_RECEIVED_BYTES) return;
    this.isFlooded = true;
    this.destroy(new Error(SmtpSocket.TOO_MUCH));
  }
}
