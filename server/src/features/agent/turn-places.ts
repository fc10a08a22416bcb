import type { TurnLimits } from '../../platform/fair-turns.ts';
import { timesInHeap } from '../../platform/heap.ts';

/**
 * Turns that are under way: each holds its room and what it says, of some 256 KiB each, and may wait for a language model. Of all
 * accounts there is one for each 8 MiB that V8's heap may have, of one a quarter of these (docs/limits.md).
 */
const HEAP_OF_ONE_BYTES = 8 * 1_048_576;
const UNDER_WAY = timesInHeap(HEAP_OF_ONE_BYTES);
export const TURN_PLACES: TurnLimits = {
  running: UNDER_WAY,
  runningOfOne: Math.ceil(UNDER_WAY / 4),
  waitingOfOne: 2_000,
};
