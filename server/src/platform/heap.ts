import { getHeapStatistics } from 'node:v8';

/** How much V8's heap may have, in bytes: `--max-old-space-size`, or what Node.js takes of the machine's memory. */
const HEAP_BYTES = getHeapStatistics().heap_size_limit;

/** How often so many bytes go into the heap. Limits that hold memory go by it (docs/limits.md). */
export const timesInHeap = (bytes: number): number => Math.floor(HEAP_BYTES / bytes);

/** A part of the heap, in bytes. @param part from 0 to 1 */
export const partOfHeap = (part: number): number => Math.floor(HEAP_BYTES * part);
