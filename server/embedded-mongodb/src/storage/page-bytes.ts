/** How many bytes the data file's pages take. */

interface PageCounts {
  treeBranchPageCount: number;
  treeLeafPageCount: number;
  overflowPages: number;
}

interface Stats extends PageCounts {
  pageSize: number;
  lastPageNumber: number;
  root: PageCounts;
  free: PageCounts;
}

/** What has `getStats`, a part of lmdb-js's databases. */
interface Measured {
  getStats(): object;
}

/** The key spaces of an environment, and what names them. */
interface Trees {
  root: Measured;
  meta: Measured;
  records: Measured;
  entries: Measured;
}

/** The two pages at the file's beginning that say where everything is. */
const META_PAGES = 2;

/** The bytes up to the end of the file's last page. */
export function endBytes(root: Measured): number {
  const { lastPageNumber, pageSize } = root.getStats() as Stats;
  return (lastPageNumber + 1) * pageSize;
}

/** What a data file's pages take, in bytes. */
export interface PageBytes {
  used: number;
  /** What was deleted stands in them until they are used again. */
  free: number;
}

/** The bytes of the pages in use, and of those that are free. */
export function pageBytes({ root, meta, records, entries }: Trees): PageBytes {
  const stats = root.getStats() as Stats;
  const trees = [
    stats.root,
    stats.free,
    ...[meta, records, entries].map((space) => space.getStats() as Stats),
  ];
  const pages = trees.map((tree) => tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages);
  const used = pages.reduce((sum, count) => sum + count, META_PAGES);
  const free = Math.max(0, stats.lastPageNumber + 1 - used);
  return { used: used * stats.pageSize, free: free * stats.pageSize };
}
