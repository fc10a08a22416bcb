/** Bounds for what queries hold in memory: documents to be sorted, groups, what has been seen. */
import { MongoError } from '../errors/mongo-error.ts';

/** MongoDB's limit for one stage. */
export const MAX_STAGE_BYTES = 100 * 1024 * 1024;

/** What all running queries and open cursors may hold together: the thread's heap has an end. */
const MAX_TOTAL_BYTES = 3 * MAX_STAGE_BYTES;

/** Counts what all stages hold. */
export class Memory {
  #bytes = 0;

  /** Begins to count for one stage, which has to release it in the end. */
  begin(stage: string): HeldMemory {
    return new HeldMemory(stage, (bytes) => {
      this.#bytes += bytes;
      return this.#bytes;
    });
  }

  /** What is held now, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }
}

/** What one stage holds, in bytes as `heapSize` guesses them. */
export class HeldMemory {
  #bytes = 0;
  readonly #stage: string;
  readonly #change: (bytes: number) => number;

  constructor(stage: string, change: (bytes: number) => number) {
    this.#stage = stage;
    this.#change = change;
  }

  /**
   * Counts more, or less where `bytes` is negative.
   * @throws MongoError 292 beyond the limit of a stage, or of all together: nothing here is put on disk. 146 when
   * an accumulator, `collector`, has reached it.
   */
  add(bytes: number, collector?: string): void {
    this.#bytes += bytes;
    const total = this.#change(bytes);
    if (this.#bytes > MAX_STAGE_BYTES && collector) throw collectsTooMuch(collector);
    if (this.#bytes > MAX_STAGE_BYTES)
      throw exceeded(`${this.#stage} exceeded memory limit of ${MAX_STAGE_BYTES}`);
    if (total > MAX_TOTAL_BYTES) {
      throw exceeded(`${this.#stage} and other queries exceeded memory limit of ${MAX_TOTAL_BYTES}`);
    }
  }

  /** Holds nothing any more. */
  release(): void {
    this.#change(-this.#bytes);
    this.#bytes = 0;
  }
}

function collectsTooMuch(collector: string): MongoError {
  const text = `${collector} needs too much memory. Local memory limit: ${MAX_STAGE_BYTES} bytes.`;
  return new MongoError(146, 'ExceededMemoryLimit', text);
}

function exceeded(what: string): MongoError {
  const text = `${what} bytes, and the embedded database does not use the disk for it`;
  return new MongoError(292, 'QueryExceededMemoryLimitNoDiskUseAllowed', text);
}

/** About what a BSON value takes in the heap, in bytes. */
export function heapSize(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (Array.isArray(value)) {
    let bytes = 32 + 8 * value.length;
    for (const element of value) bytes += heapSize(element);
    return bytes;
  }
  const { _bsontype: type, buffer } = value as { _bsontype?: unknown; buffer?: Uint8Array };
  if (typeof type === 'string') return 64 + (buffer?.length ?? 0);
  let bytes = 64;
  for (const name in value) bytes += 8 + heapSize((value as Record<string, unknown>)[name]);
  return bytes;
}
