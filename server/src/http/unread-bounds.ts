/** How much may wait for clients, of what the process keeps for that (bytes). */
export interface UnreadBounds {
  ofAddress: number;
  together: number;
}

/** A small machine has 512 MiB; a list's longest page is 2 MiB (docs/limits.md). */
export const UNREAD_BOUNDS: UnreadBounds = { ofAddress: 32 * 1_048_576, together: 128 * 1_048_576 };

/** What waits on one connection. */
export interface Unread {
  address: string;
  bytes: number;
  /** `performance.now()` */
  since: number;
}

interface OfAddress<T> {
  bytes: number;
  /** What holds the most for the longest stands last. */
  unread: T[];
}

/**
 * Which connections to cut off, so that what waits keeps its bounds. Beyond the one for all together, addresses go first that
 * hold the most: who takes one long page slowly still gets it while another one holds hundreds.
 * @param before what has come later does not count yet: most of it is taken in a moment
 */
export const beyondBounds = <T extends Unread>(
  unread: readonly T[],
  { ofAddress, together }: UnreadBounds,
  before: number,
): T[] => {
  const addresses = new Map<string, OfAddress<T>>();
  let all = 0;
  for (const one of unread) {
    if (one.since > before) continue;
    const of = addresses.get(one.address) ?? { bytes: 0, unread: [] };
    addresses.set(one.address, of);
    of.bytes += one.bytes;
    of.unread.push(one);
    all += one.bytes;
  }
  const cut: T[] = [];
  const cutWhile = (of: OfAddress<T>, isTooMuch: () => boolean): void => {
    while (isTooMuch()) {
      const one = of.unread.pop();
      if (!one) return;
      of.bytes -= one.bytes;
      all -= one.bytes;
      cut.push(one);
    }
  };
  const weight = ({ bytes, since }: T) => bytes * (before - since + 1);
  for (const of of addresses.values()) {
    of.unread.sort((a, b) => weight(a) - weight(b));
    cutWhile(of, () => of.bytes > ofAddress);
  }
  const byBytes = [...addresses.values()].sort((a, b) => b.bytes - a.bytes);
  const share = evenShare(byBytes, together);
  for (const of of byBytes) cutWhile(of, () => all > together && of.bytes > share);
  return cut;
};

/** What each address may have so that all together have no more than `together`. @param byBytes the most first */
const evenShare = (byBytes: readonly { bytes: number }[], together: number): number => {
  let left = together;
  for (let index = byBytes.length - 1; index >= 0; index--) {
    const { bytes = 0 } = byBytes[index] ?? {};
    if (bytes * (index + 1) > left) return left / (index + 1);
    left -= bytes;
  }
  return Number.POSITIVE_INFINITY;
};
