import type { Database } from 'lmdb';

/** One of the environment's named databases: binary keys in byte order, and binary values. */
export type KeySpace = Database<Buffer, Buffer>;

/** The first key after all keys that begin with these bytes. */
export function after(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  for (let i = end.length - 1; i >= 0; i--) {
    if ((end[i] as number) < 0xff) {
      end[i] = (end[i] as number) + 1;
      return end.subarray(0, i + 1);
    }
  }
  throw new RangeError('no key lies after this prefix');
}
