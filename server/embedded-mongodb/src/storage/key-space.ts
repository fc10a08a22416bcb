import type { Database } from 'lmdb';

/** One of the environment's named databases: binary keys in byte order, and binary values. */
export type KeySpace = Database<Buffer, Buffer>;
