/** Bounds for what queries hold in memory: documents to be sorted, groups, what has been seen. */
import { getHeapStatistics } from 'node:v8';
import { MongoError } from '../errors/mongo-error.ts';

/** MongoDB's limit for one stage. */
export const MAX_STAGE_BYTES = 100 * 1024 * 1024;

/** What all running queries and open cursors may hold together: the thread's heap has an end. */
const MAX_TOTAL_BYTES = 3 * MAX_STAGE_BYTES;

/** Of a heap that is smaller than the thread's own, as by `--max-old-space-size` in NODE_OPTIONS, they hold this part. */
const PART_OF_HEAP = 0.28;

interface Limits {
  stage: number;
  total: number;
}

/** Counts what all stages hold. */
export class Memory {
  readonly #limits: Limits;
  #bytes = 0;

  /** @param heapBytes what the heap may grow to; that of this thread unless it is given */
  constructor(heapBytes = getHeapStatistics().heap_size_limit) {
    const total = Math.min(MAX_TOTAL_BYTES, Math.floor(heapBytes * PART_OF_HEAP));
    this.#limits = { stage: Math.min(MAX_STAGE_BYTES, total), total };
  }

  /** Begins to count for one stage, which has to release it in the end. */
  begin(stage: string): HeldMemory {
    return new HeldMemory(stage, this.#limits, (bytes) => {
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
  readonly #limits: Limits;
  readonly #change: (bytes: number) => number;

  constructor(stage: string, limits: Limits, change: (bytes: number) => number) {
    this.#stage = stage;
    this.#limits = limits;
    this.#change = change;
  }

  /**
   * Counts more, or less where `bytes` is negative.
   * @throws MongoError 292 beyond the limit of a stage, or of all together: nothing here is put on disk. 146 when
   * an accumulator, `collector`, has reached it.
   */
  add(bytes: number, collector?: string): void {
    this.#bytes += bytes;
    const all = this.#change(bytes);
    const { stage, total } = this.#limits;
    if (this.#bytes > stage && collector) throw collectsTooMuch(collector, stage);
    if (this.#bytes > stage) throw exceeded(`${this.#stage} exceeded memory limit of ${stage}`);
    if (all > total) throw exceeded(`${this.#stage} and other queries exceeded memory limit of ${total}`);
  }

  /** Holds nothing any more. */
  release(): void {
    this.#change(-this.#bytes);
    this.#bytes = 0;
  }
}

function collectsTooMuch(collector: string, limit: number): MongoError {
  const text = `${collector} needs too much memory. Local memory limit: ${limit} bytes.`;
  return new MongoError(146, 'ExceededMemoryLimit', text);
}

function exceeded(what: string): MongoError {
  const text = `${what} bytes, and the embedded database does not use the disk for it`;
  return new MongoError(292, 'QueryExceededMemoryLimitNoDiskUseAllowed', text);
}

/** V8 keeps a text with any other character in two bytes for each. */
const BEYOND_LATIN = /[\u0100-\uffff]/;

/** About what a BSON value takes in the heap, in bytes. */
export function heapSize(value: unknown): number {
  if (typeof value === 'string') return 24 + (BEYOND_LATIN.test(value) ? 2 : 1) * value.length;
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
