/** Cuts a byte stream into wire protocol messages. */
import { MAX_MESSAGE_BYTES } from '../limits/limits.ts';

/** The peer does not speak the protocol: its connection can only be closed. */
export class WireError extends Error {}

const HEADER_BYTES = 16;

/** Collects chunks, and gives out each message once it is complete. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #length = 0;

  /** Takes what arrived. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** The next complete message, header included; undefined when there is none yet. */
  next(): Buffer | undefined {
    if (this.#length < 4) return undefined;
    const first = this.#first(4);
    const size = first.readInt32LE(0);
    if (size < HEADER_BYTES || size > MAX_MESSAGE_BYTES) throw new WireError(`message of ${size} bytes`);
    if (this.#length < size) return undefined;
    const whole = this.#first(size);
    const message = whole.subarray(0, size);
    const rest = whole.subarray(size);
    if (rest.length > 0) this.#chunks[0] = rest;
    else this.#chunks.shift();
    this.#length -= size;
    return message;
  }

  /** Joins chunks until the first one holds `size` bytes. */
  #first(size: number): Buffer {
    let first = this.#chunks[0] as Buffer;
    if (first.length >= size) return first;
    let joined = 1;
    for (let length = first.length; length < size; joined++)
      length += (this.#chunks[joined] as Buffer).length;
    first = Buffer.concat(this.#chunks.slice(0, joined));
    this.#chunks.splice(0, joined, first);
    return first;
  }
}
