import { randomInt } from 'node:crypto';
import { v7 } from 'uuid';

/**
 * A new object's UUID: version 7 (RFC 9562, 5.7), so that ids of one process sort by the time they were made,
 * also inside a millisecond, and neighbours in time are neighbours in every index.
 */
export const newUuid = (): string => v7();

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** `length` unguessable letters and digits (5.95 bits each). */
export const randomLetters = (length: number): string =>
  Array.from({ length }, () => LETTERS_AND_DIGITS[randomInt(LETTERS_AND_DIGITS.length)]).join('');

/** The label of a room, where nobody gives it one (docs/contract.md#resources). */
export const newRoomLabel = (): string => randomLetters(10);
