/**
 * Walks the trees of a data file before LMDB reads them: LMDB trusts the pages inside, and an assertion of its own ends the
 * process without a word. Of overflow pages, which hold long documents, it is looked only whether they are there. Layout: see
 * data-file.ts.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { BRANCH_OR_LEAF, FLAGS_OFFSET, HEADER_BYTES, NO_PAGE, newestMeta } from './data-file.ts';

const BRANCH = 0x01;
const LEAF = 0x02;
const LOWER_OFFSET = 20;
const UPPER_OFFSET = 22;
const NODE_BYTES = 8;
/** Flags of a node in a leaf: its data lies in overflow pages, of which it holds the numbers; it is the head of a tree. */
const BIG_DATA = 0x01;
const SUB_TREE = 0x02;
/** Flag of a tree whose keys have several values. This database has none. */
const SORTED_VALUES = 0x04;
const TREE_BYTES = 48;
const FREE_TREE_AT = 48;
const MAIN_TREE_AT = 96;
/** Behind the two meta pages. */
const FIRST_PAGE = 2;
/** Of a page's number, which has 8 bytes in a head and 6 in a node. */
const NUMBER_BYTES = 6;
/** Of a number in the list of free pages. */
const ID_BYTES = 8;

/** What the head of a tree says of it. */
interface Tree {
  depth: number;
  pages: number;
  entries: number;
  /** undefined where it is empty. */
  root: number | undefined;
}

/** Something in a page is not what LMDB writes. */
class Unsound extends Error {}

export type TreeState =
  /** Nothing speaks against them. */
  | 'sound'
  /** Reading may end the process, or give something else. */
  | 'doubtful'
  /** The list of free pages is not what LMDB wrote: what it writes next might go over other pages. */
  | 'unsafe';

/**
 * Whether each page of the trees is in its place, of its kind, and holds what fits into it; pages from the roots down are looked
 * at first. Of a file that is being written it may be wrong, but for `sound`.
 * @param within what is not seen by then counts as sound (milliseconds)
 * @param freeAlone looks at the list of free pages and nothing else
 */
export function lookAtTrees(file: string, within: number, freeAlone = false): TreeState {
  const until = performance.now() + within;
  const descriptor = openSync(file, 'r');
  let isFree = true;
  try {
    const found = newestMeta(descriptor);
    if (!found) return 'doubtful';
    const page = Buffer.alloc(found.meta.pageBytes);
    const walked = { descriptor, page, lastPage: Number(found.meta.lastPage), until };
    walk({ ...walked, atLeaf: checkFreed }, readTree(found.bytes, FREE_TREE_AT));
    if (freeAlone) return 'sound';
    isFree = false;
    const waiting = [readTree(found.bytes, MAIN_TREE_AT)];
    for (let tree = waiting.shift(); tree; tree = waiting.shift()) {
      walk({ ...walked, atLeaf: (pages, node) => waiting.push(...treesAt(pages, node)) }, tree);
    }
    return 'sound';
  } catch (error) {
    if (error instanceof Unsound) return isFree ? 'unsafe' : 'doubtful';
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

interface Pages {
  descriptor: number;
  /** The one that is looked at. */
  page: Buffer;
  lastPage: number;
  until: number;
}

interface Walk extends Pages {
  /** Looks at a node of a leaf. */
  atLeaf(pages: Pages, node: number): void;
}

function readTree(bytes: Buffer, at: number): Tree {
  require(bytes.length >= at + TREE_BYTES && !(bytes.readUInt16LE(at + 4) & SORTED_VALUES));
  const root = bytes.readBigUInt64LE(at + 40);
  return {
    depth: bytes.readUInt16LE(at + 6),
    pages: Number(bytes.readBigUInt64LE(at + 8) + bytes.readBigUInt64LE(at + 16)),
    entries: Number(bytes.readBigUInt64LE(at + 32)),
    root: root === NO_PAGE ? undefined : Number(root),
  };
}

/** Looks at one tree, level by level. */
function walk(walked: Walk, tree: Tree): void {
  const { descriptor, page, lastPage, until, atLeaf } = walked;
  let level = tree.root === undefined ? [] : [tree.root];
  let pages = 0;
  let entries = 0;
  for (let depth = 1; level.length > 0; depth++) {
    const kind = depth < tree.depth ? BRANCH : LEAF;
    const next: number[] = [];
    for (const number of level) {
      if (performance.now() > until) return;
      require(number >= FIRST_PAGE && number <= lastPage && ++pages <= tree.pages);
      require(readSync(descriptor, page, 0, page.length, number * page.length) === page.length);
      require(page.readUIntLE(0, NUMBER_BYTES) === number && page.readUInt16LE(NUMBER_BYTES) === 0);
      require((page.readUInt16LE(FLAGS_OFFSET) & BRANCH_OR_LEAF) === kind);
      const nodes = nodesOf(page);
      if (kind === BRANCH) for (const node of nodes) next.push(page.readUIntLE(node, NUMBER_BYTES));
      else {
        entries += nodes.length;
        for (const node of nodes) atLeaf(walked, node);
      }
    }
    level = next;
  }
  require(pages === tree.pages && entries === tree.entries);
}

/** Where the nodes of a page begin. It counts from the end of its header. */
function nodesOf(page: Buffer): number[] {
  const lower = HEADER_BYTES + page.readUInt16LE(LOWER_OFFSET);
  const upper = HEADER_BYTES + page.readUInt16LE(UPPER_OFFSET);
  require(lower <= upper && upper <= page.length);
  const nodes: number[] = [];
  for (let at = HEADER_BYTES; at < lower; at += 2) {
    const node = HEADER_BYTES + page.readUInt16LE(at);
    require(node >= upper && node + NODE_BYTES <= page.length);
    require(node + NODE_BYTES + page.readUInt16LE(node + 6) <= page.length);
    nodes.push(node);
  }
  require(nodes.length > 0);
  return nodes;
}

/** Where the data of a node in a leaf lies: in the page itself, or in overflow pages behind a header. */
function dataAt({ page, lastPage }: Pages, node: number): { size: number; at: number; overflow?: number } {
  const size = page.readUInt32LE(node);
  const at = node + NODE_BYTES + page.readUInt16LE(node + 6);
  if (!(page.readUInt16LE(node + 4) & BIG_DATA)) {
    require(at + size <= page.length);
    return { size, at };
  }
  require(at + NODE_BYTES <= page.length);
  const overflow = page.readUIntLE(at, NUMBER_BYTES);
  const count = Math.ceil((HEADER_BYTES + size) / page.length);
  require(overflow >= FIRST_PAGE && overflow + count - 1 <= lastPage);
  return { size, at, overflow };
}

/** The tree whose head stands in a node of a leaf, where it is one. */
function treesAt(pages: Pages, node: number): Tree[] {
  const { at, overflow } = dataAt(pages, node);
  const isTree = overflow === undefined && pages.page.readUInt16LE(node + 4) & SUB_TREE;
  return isTree ? [readTree(pages.page, at)] : [];
}

/**
 * Checks the page numbers that a transaction has freed, which stand behind their count. lmdb-js writes a run of pages as its
 * negative length with its first page behind it, and 0 for an entry that was used again.
 */
function checkFreed(pages: Pages, node: number): void {
  const { descriptor, page, lastPage } = pages;
  const { size, at, overflow } = dataAt(pages, node);
  let bytes = page.subarray(at, at + size);
  if (overflow !== undefined) {
    bytes = Buffer.alloc(size);
    require(readSync(descriptor, bytes, 0, size, overflow * page.length + HEADER_BYTES) === size);
  }
  require(size >= ID_BYTES);
  const count = Number(bytes.readBigInt64LE(0));
  require(count >= 0 && (count + 1) * ID_BYTES <= size);
  let run = 1;
  for (let n = 1; n <= count; n++) {
    const id = Number(bytes.readBigInt64LE(n * ID_BYTES));
    if (id < 0) {
      require(run === 1);
      run = -id;
    } else if (id > 0 || run > 1) {
      require(id >= FIRST_PAGE && id + run - 1 <= lastPage);
      run = 1;
    }
  }
}

function require(isSound: unknown): void {
  if (!isSound) throw new Unsound();
}
