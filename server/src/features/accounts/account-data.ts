import type { Model } from 'mongoose';
import type { MappedCollection, Owner } from '../../database/collection-data.ts';
import type { AccountModel } from './accounts.model.ts';

/** How many documents of an account are read at a time: each may have 256 KiB, and others wait while they are decoded. */
export const READ_AT_ONCE = 16;

/** A collection that holds an account's objects. */
export interface AccountCollection {
  name: string;
  model: Model<Record<string, unknown>>;
  /** Which of its documents are the account's. */
  filter: object;
  /** The fields of an index that reads them in a fixed order. */
  sort: Record<string, 1 | -1>;
}

type Anything = Record<string, unknown>;

const ownedBy = (
  owner: Exclude<Owner<Anything>, 'server'>,
  account: string,
  idsVia: Record<'widgets' | 'workflows', string[]>,
): object => {
  if ('via' in owner) return { [owner.by]: { $in: idsVia[owner.via] } };
  // A space ends the prefix, and `!` is what comes after it.
  if ('isPrefix' in owner) return { [owner.by]: { $gte: `${account} `, $lt: `${account}!` } };
  return { [owner.by]: account };
};

/** Every collection with documents of an account but `accounts` itself, in the order of the map of data. */
const ownedCollections = async (collections: readonly MappedCollection[], account: string) => {
  const idsOf = async (wanted: string): Promise<string[]> => {
    const found = await collections
      .find(({ name }) => name === wanted)
      ?.model.find({ account }, { _id: 1 })
      .lean();
    return (found ?? []).map(({ _id }) => String(_id));
  };
  const [widgets, workflows] = await Promise.all([idsOf('widgets'), idsOf('workflows')]);
  return collections.flatMap(({ name, model, data: { owner, copied } }) =>
    owner === 'server' || name === 'accounts'
      ? []
      : [{ name, model, filter: ownedBy(owner, account, { widgets, workflows }), copied }],
  );
};

/**
 * What belongs to an account and is worth keeping, in the order in which it can be read in again: what others
 * refer to comes first. What waits for a subscriber goes along, and is sent by whoever reads it in, under the same
 * webhook-id. Claims and counts are this server's own.
 */
export const accountCollections = async (
  collections: readonly MappedCollection[],
  account: string,
): Promise<AccountCollection[]> =>
  (await ownedCollections(collections, account)).flatMap(({ copied, ...collection }) =>
    copied ? [{ ...collection, sort: copied as Record<string, 1 | -1> }] : [],
  );

/** How many documents are deleted at a time: no request waits for a whole account. */
const STEP = 500;

const deleteInSteps = async (model: AccountCollection['model'], filter: object): Promise<void> => {
  for (;;) {
    const some = await model.find(filter, { _id: 1 }).limit(STEP).lean();
    if (some.length > 0) await model.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
    if (some.length < STEP) return;
  }
};

/** Where a relay puts something of an account, also while that is being deleted. */
interface Moved {
  deleteMany(filter: object): PromiseLike<unknown>;
}

/**
 * Deletes an account and all that belongs to it. Its token and password are dead first, and the account itself
 * goes last: a deletion that was broken off is finished by doing it again.
 */
export const deleteAccount = async (
  {
    credentials,
    collections,
    models,
  }: {
    /** Makes every token and password of its members useless. */
    credentials: { lock(account: string): Promise<void> };
    collections: readonly MappedCollection[];
    models: { accounts: AccountModel; audit: Moved; searchSegments: Moved };
  },
  account: string,
  progress: (collection: string) => void = () => undefined,
): Promise<void> => {
  await credentials.lock(account);
  const owned = await ownedCollections(collections, account);
  // What is found by way of a widget or workflow goes while those are still there.
  for (const { name, model, filter } of owned.reverse()) {
    progress(name);
    await deleteInSteps(model, filter);
    // Sessions outlive their widget for a while.
    if (model.schema.path('account')) await deleteInSteps(model, { account });
  }
  await models.accounts.deleteOne({ _id: account });
  // What a relay moved there meanwhile; from now on it moves nothing of this account any more.
  await models.audit.deleteMany({ account });
  await models.searchSegments.deleteMany({ account });
};
