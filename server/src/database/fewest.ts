import type { Model } from 'mongoose';

/** The key of an index. */
export type Index = Readonly<Record<string, 1 | -1>>;

/** A count stops at this many index entries: it costs little beside examining as many documents. */
const FEW = 2_000;

/** A page of the default size and the one that follows: whatever has no more is read as quickly as it could be. */
const A_PAGE = 101;

/**
 * The index that holds the fewest entries for its own part of a filter: the documents of a list are looked at one by one along
 * it. No database chooses so by itself for every account: the embedded one has no statistics, MongoDB keeps what suited another.
 * @param indexes each serves the list in its order; of those that hold as few, the first
 * @returns undefined where each of several holds more than FEW
 */
export const indexOfFewest = async (
  model: Pick<Model<unknown>, 'collection'>,
  filter: object,
  indexes: readonly Index[],
): Promise<Index | undefined> => {
  if (indexes.length < 2) return indexes[0];
  let best: Index | undefined;
  let fewest = FEW + 1;
  for (const index of indexes) {
    if (fewest <= A_PAGE) break;
    const own = Object.fromEntries(Object.entries(filter).filter(([field]) => field in index));
    const count = await model.collection.countDocuments(own, { limit: fewest, hint: index });
    if (count < fewest) best = index;
    fewest = Math.min(count, fewest);
  }
  return best;
};
