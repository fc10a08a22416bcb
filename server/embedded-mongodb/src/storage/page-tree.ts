/**
 * Walks the trees of a data file before LMDB reads them: LMDB trusts the pages inside, and an assertion of its own ends the
 * process without a word. Overflow pages are left out, of which it trusts nothing. Layout: see data-file.ts.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { BRANCH_OR_LEAF, FLAGS_OFFSET, HEADER_BYTES, type Meta, NO_PAGE, newestMeta } from './data-file.ts';

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

/**
 * Whether each page of the trees is in its place, of its kind, and holds what fits into it; pages from the roots down are looked
 * at first. False is a suspicion: of a file that is being written it may be wrong.
 * @param within what is not seen by then counts as sound (milliseconds)
 */
export function hasSoundTrees(file: string, within: number): boolean {
  const until = performance.now() + within;
  const descriptor = openSync(file, 'r');
  try {
    const found = newestMeta(descriptor);
    if (!found) return false;
    const page = Buffer.alloc(found.meta.pageBytes);
    const waiting = [FREE_TREE_AT, MAIN_TREE_AT].map((at) => readTree(found.bytes, at));
    for (let tree = waiting.shift(); tree; tree = waiting.shift()) {
      waiting.push(...walk(descriptor, found.meta, tree, page, until));
    }
    return true;
  } catch (error) {
    if (error instanceof Unsound) return false;
    throw error;
  } finally {
    closeSync(descriptor);
  }
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

/** Looks at one tree, level by level; gives the trees that stand in it. */
function walk(descriptor: number, meta: Meta, tree: Tree, page: Buffer, until: number): Tree[] {
  const inside: Tree[] = [];
  const lastPage = Number(meta.lastPage);
  let level = tree.root === undefined ? [] : [tree.root];
  let pages = 0;
  let entries = 0;
  for (let depth = 1; level.length > 0; depth++) {
    const kind = depth < tree.depth ? BRANCH : LEAF;
    const next: number[] = [];
    for (const number of level) {
      if (performance.now() > until) return [];
      require(number >= FIRST_PAGE && number <= lastPage && ++pages <= tree.pages);
      require(readSync(descriptor, page, 0, page.length, number * page.length) === page.length);
      require(page.readUIntLE(0, NUMBER_BYTES) === number && page.readUInt16LE(NUMBER_BYTES) === 0);
      require((page.readUInt16LE(FLAGS_OFFSET) & BRANCH_OR_LEAF) === kind);
      const nodes = nodesOf(page);
      if (kind === BRANCH) for (const node of nodes) next.push(page.readUIntLE(node, NUMBER_BYTES));
      else {
        entries += nodes.length;
        for (const node of nodes) inside.push(...treesAt(page, node));
      }
    }
    level = next;
  }
  require(pages === tree.pages && entries === tree.entries);
  return inside;
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

/** The tree whose head stands in a node of a leaf, where it is one; else its data has to lie inside of the page. */
function treesAt(page: Buffer, node: number): Tree[] {
  const flags = page.readUInt16LE(node + 4);
  if (flags & BIG_DATA) return [];
  const data = node + NODE_BYTES + page.readUInt16LE(node + 6);
  require(data + page.readUInt32LE(node) <= page.length);
  return flags & SUB_TREE ? [readTree(page, data)] : [];
}

function require(isSound: unknown): void {
  if (!isSound) throw new Unsound();
}
