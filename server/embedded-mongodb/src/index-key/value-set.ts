import { encodeValue } from './entry-key.ts';

/** A set of BSON values, of which those that MongoDB compares as equal are one. */
export class ValueSet {
  readonly #keys = new Set<string>();

  constructor(values: Iterable<unknown> = []) {
    for (const value of values) this.add(value);
  }

  has(value: unknown): boolean {
    return this.#keys.has(keyOf(value));
  }

  /** Adds a value. @returns whether it was not there */
  add(value: unknown): boolean {
    const { size } = this.#keys;
    return this.#keys.add(keyOf(value)).size > size;
  }
}

const keyOf = (value: unknown): string => encodeValue(value).toString('latin1');
