import { expect, test } from 'vitest';
import { hasOverwrittenMemory, isWriteFailure, storageError } from './write-failure.ts';

// Both were made by lmdb 3.5.6 on a full disk; the second is longer than the block that it was made in.
const SHORT =
  'No space left on device: Attempting to write page at position 806912, size 4096, blocks 1, buffer sizes 4096 4096 -731877376';
const LONG =
  'No space left on device: Attempting to write page at position 753664, size 12288, blocks 1, buffer sizes 12288 1155695592 1155696145';

test('an error message that was longer than its block in memory is told from others', () => {
  expect(hasOverwrittenMemory(new Error(SHORT))).toBe(false);
  expect(hasOverwrittenMemory(new Error(LONG))).toBe(true);
  expect(hasOverwrittenMemory(new Error(`Input/output error: ${LONG.slice(25)}`))).toBe(true);
  expect(hasOverwrittenMemory(new Error('x'.repeat(200)))).toBe(false);
  expect(isWriteFailure(new Error(SHORT))).toBe(true);
  expect(isWriteFailure(new Error('MDB_BAD_TXN: Transaction must abort'))).toBe(false);
  expect(storageError(new Error(LONG), '/')).toMatchObject({ code: 14031 });
  const broken = new Error(`Read-only file system: ${SHORT.slice(25)}`);
  expect(storageError(broken, '/')).toMatchObject({ code: 39 });
});
