/** A growing byte buffer that ordered keys are written into, and then copied out of. */
export class KeyWriter {
  #bytes = Buffer.allocUnsafe(1024);
  length = 0;

  #reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.length + more));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }

  /** Appends one byte. */
  byte(value: number): this {
    if (this.length === this.#bytes.length) this.#reserve(1);
    this.#bytes[this.length++] = value;
    return this;
  }

  /** Appends a 32-bit unsigned integer, most significant byte first. */
  uint32(value: number): this {
    this.#reserve(4);
    this.length = this.#bytes.writeUInt32BE(value, this.length);
    return this;
  }

  /** Appends a 64-bit unsigned integer, most significant byte first. */
  uint64(value: bigint): this {
    this.#reserve(8);
    this.length = this.#bytes.writeBigUInt64BE(value, this.length);
    return this;
  }

  /** Appends bytes as they are. */
  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
    return this;
  }

  /** Appends bytes so that a shorter value sorts before its extensions and no value is a prefix of another. */
  terminated(bytes: Uint8Array): this {
    this.#reserve(bytes.length * 2 + 2);
    const target = this.#bytes;
    let at = this.length;
    for (let i = 0; i < bytes.length; i++) {
      const value = bytes[i] as number;
      target[at++] = value;
      if (value === 0) target[at++] = 0xff;
    }
    target[at++] = 0;
    target[at++] = 0;
    this.length = at;
    return this;
  }

  /** Appends a string by its UTF-8 bytes, in the manner of `terminated`. */
  text(value: string): this {
    if (value.includes('\0')) return this.terminated(Buffer.from(value));
    this.#reserve(value.length * 3 + 2);
    this.length += this.#bytes.write(value, this.length);
    this.#bytes[this.length++] = 0;
    this.#bytes[this.length++] = 0;
    return this;
  }

  /** Inverts the bytes from `start` on: the encoding of a descending field. */
  invertFrom(start: number): void {
    const bytes = this.#bytes;
    for (let i = start; i < this.length; i++) bytes[i] = ~(bytes[i] as number);
  }

  /** Forgets what lies after `length`. */
  truncate(length: number): void {
    this.length = length;
  }

  /** A copy of what was written. */
  take(from = 0): Buffer {
    return Buffer.from(this.#bytes.subarray(from, this.length));
  }
}
