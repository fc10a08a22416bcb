import type { Model } from 'mongoose';

/** The key of an index. */
export type Index = Readonly<Record<string, 1 | -1>>;

/** A count stops at this many index entries: it costs little beside examining as many documents. */
const FEW = 2_000;

/** A page of the default size and the one that follows: whatever has no more is read as quickly as it could be. */
const A_PAGE = 101;

/** The part of a filter that an index tells by itself. */
export const partOf = (filter: object, index: Index): object =>
  Object.fromEntries(Object.entries(filter).filter(([field]) => field in index));

/**
 * The indexes of a collection that serve a list, as far as they go: by fields of its filter and then in its order.
 * @param order the field by which the list goes
 */
export const indexesServing = (
  model: { schema: { indexes(): readonly (readonly [object, ...unknown[]])[] } },
  filter: object,
  order: string,
): Index[] => {
  const isOf = (field: string) => field in filter || field === order || field === '_id';
  const serving = model.schema
    .indexes()
    .map(([key]) => key as Index)
    .filter((key) => order in key && Object.keys(key).every(isOf));
  const isPartOf = (key: Index, other: Index) =>
    key !== other && Object.keys(key).every((field) => field in other);
  return serving.filter((key) => !serving.some((other) => isPartOf(key, other)));
};

/**
 * The index that holds the fewest entries for its own part of a filter: the documents of a list are looked at one by one along
 * it. No database chooses so by itself for every account: the embedded one has no statistics, MongoDB keeps what suited another.
 * @param indexes each serves the list in its order; of those that hold as few, the first
 * @returns with `isFew` where it is known to hold no more than FEW
 */
export const indexOfFewest = async (
  model: Pick<Model<unknown>, 'collection'>,
  filter: object,
  indexes: readonly [Index, ...Index[]],
): Promise<{ index: Index; isFew: boolean }> => {
  let [best] = indexes;
  if (indexes.length === 1) return { index: best, isFew: false };
  let fewest = FEW + 1;
  for (const index of indexes) {
    if (fewest <= A_PAGE) break;
    const own = partOf(filter, index);
    const count = await model.collection.countDocuments(own, { limit: fewest, hint: index });
    if (count < fewest) best = index;
    fewest = Math.min(count, fewest);
  }
  return { index: best, isFew: fewest <= FEW };
};
