import { databaseAway } from '../../database/unavailable.ts';
import { FairTurns } from '../../platform/fair-turns.ts';

/**
 * Rooms that are read with what their bots keep there hold up to 768 KiB each: whoever reads one to change or delete it
 * does so in turn, by account (docs/limits.md#objects-of-an-account).
 */
export const wholeRoomTurns = new FairTurns(
  { running: 8, runningOfOne: 4, waitingOfOne: 1_000 },
  databaseAway,
);
