/**
 * Looks at a data file before LMDB maps it: a page that is not there is a SIGBUS then, and the end of the process.
 * The layout is that of lmdb-js's LMDB (data version 1), on machines of 64 bits and little endian.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const MAGIC = 0xbeefc0de;
/** Bytes before a page's content: its number, transaction, padding, flags, bounds. */
export const HEADER_BYTES = 24;
export const FLAGS_OFFSET = 18;
export const BRANCH_OR_LEAF = 0x03;
const META_BYTES = HEADER_BYTES + 144;
export const NO_PAGE = 0xffffffffffffffffn;

/** Its bytes as a meta page says: which transaction wrote it, and what belongs to it. */
export interface Meta {
  pageBytes: number;
  mainRoot: bigint;
  lastPage: bigint;
  transaction: bigint;
}

export type FileState =
  /** Nothing has been written into it. */
  | 'empty'
  /** Nothing speaks against it. */
  | 'whole'
  /** It has no page of LMDB's at its beginning. */
  | 'foreign'
  /** Its head, or the root of its tree, is not what was written there. */
  | 'damaged'
  /** It is shorter than its head says: cut off, or its last pages were free and never written. */
  | 'short';

/** What the first look at a data file says. */
export function inspectDataFile(file: string): FileState {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    if (size === 0) return 'empty';
    const read = (at: number, length: number) => {
      const bytes = Buffer.alloc(length);
      return readSync(descriptor, bytes, 0, length, at) === length ? bytes : undefined;
    };
    const first = read(0, Math.min(size, META_BYTES));
    if (!first || first.length < HEADER_BYTES + 4) return 'damaged';
    if (first.readUInt32LE(HEADER_BYTES) !== MAGIC)
      return first.every((byte) => byte === 0) ? 'damaged' : 'foreign';
    const head = readMeta(first);
    const metas = [head, head && readMeta(read(head.pageBytes, META_BYTES))].filter(
      (meta) => meta !== undefined,
    );
    const newest = metas.reduce<Meta | undefined>(
      (a, b) => (a && a.transaction >= b.transaction ? a : b),
      undefined,
    );
    if (!newest || metas.length < 2) return 'damaged';
    if (newest.mainRoot !== NO_PAGE) {
      const root = read(Number(newest.mainRoot) * newest.pageBytes, HEADER_BYTES);
      const isTree =
        root?.readBigUInt64LE(0) === newest.mainRoot && root.readUInt16LE(FLAGS_OFFSET) & BRANCH_OR_LEAF;
      if (!isTree) return 'damaged';
    }
    return size < (Number(newest.lastPage) + 1) * newest.pageBytes ? 'short' : 'whole';
  } finally {
    closeSync(descriptor);
  }
}

/** The newest meta page and its bytes; undefined where the head can't be read. */
export function newestMeta(descriptor: number): { meta: Meta; bytes: Buffer } | undefined {
  const at = (position: number) => {
    const bytes = Buffer.alloc(META_BYTES);
    readSync(descriptor, bytes, 0, META_BYTES, position);
    const meta = readMeta(bytes);
    return meta && { meta, bytes };
  };
  const first = at(0);
  const second = first && at(first.meta.pageBytes);
  if (!first || !second) return undefined;
  return second.meta.transaction > first.meta.transaction ? second : first;
}

function readMeta(page: Buffer | undefined): Meta | undefined {
  if (!page || page.length < META_BYTES || page.readUInt32LE(HEADER_BYTES) !== MAGIC) return undefined;
  const pageBytes = page.readUInt32LE(48);
  const isPowerOf2 = (pageBytes & (pageBytes - 1)) === 0;
  if (pageBytes < 512 || pageBytes > 65_536 || !isPowerOf2) return undefined;
  return {
    pageBytes,
    mainRoot: page.readBigUInt64LE(136),
    lastPage: page.readBigUInt64LE(144),
    transaction: page.readBigUInt64LE(152),
  };
}
