import type { Model } from 'mongoose';
import type { MappedCollection, Owner } from '../../database/collection-data.ts';
import type { AccountModel } from './accounts.model.ts';
import { closeFirst, type RegistrationClaimModel } from './registration.model.ts';

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
  return collections.flatMap(({ name, model, data: { owner, copied, emptied } }) =>
    owner === 'server' || name === 'accounts'
      ? []
      : [{ name, model, filter: ownedBy(owner, account, { widgets, workflows }), copied, emptied }],
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

type OwnedCollection = Awaited<ReturnType<typeof ownedCollections>>[number];

/** How many documents are deleted at a time: no request waits for a whole account. */
const STEP = 500;

const deleteInSteps = async (
  { model, emptied }: Pick<OwnedCollection, 'model' | 'emptied'>,
  filter: object,
  progress: () => void,
): Promise<void> => {
  for (;;) {
    progress();
    const some = await model.find(filter, { _id: 1 }).limit(STEP).lean();
    const these = { _id: { $in: some.map(({ _id }) => _id) } };
    if (some.length > 0) await (emptied ? model.updateMany(these, emptied) : model.deleteMany(these));
    if (some.length < STEP) return;
  }
};

/** Where a relay puts something of an account, also while that is being deleted. */
interface Moved {
  deleteMany(filter: object): PromiseLike<unknown>;
}

/** What the deletion of an account needs. */
export interface DeletionParts {
  /** Makes every token and password of its members useless. */
  credentials: { lock(account: string): Promise<void> };
  collections: readonly MappedCollection[];
  models: {
    accounts: AccountModel;
    audit: Moved;
    registrationClaims: RegistrationClaimModel;
    searchSegments: Moved;
  };
}

/** By what visitors and programs get in: that goes first, and each after what is found by way of it. */
const WAYS_IN = ['sessions', 'graphs', 'workflows', 'widgets'];

const deleteOwned = async (
  collections: readonly MappedCollection[],
  account: string,
  progress: (collection: string) => void,
): Promise<void> => {
  const owned = (await ownedCollections(collections, account)).reverse();
  const waysIn = WAYS_IN.flatMap((wanted) => owned.filter(({ name }) => name === wanted));
  for (const collection of new Set([...waysIn, ...owned])) {
    const show = () => progress(collection.name);
    await deleteInSteps(collection, collection.filter, show);
    // Sessions and graphs may have outlived what they are found by.
    if (collection.model.schema.path('account')) await deleteInSteps(collection, { account }, show);
  }
};

/**
 * Deletes all that belongs to an account. Nobody gets in any more first, and of the account itself nothing is left but that
 * it is gone: a deletion that was broken off is finished by doing it again. What requests that were under way have stored
 * since is left to `deleteRest`.
 */
export const deleteAccount = async (
  { credentials, collections, models: { accounts, registrationClaims } }: DeletionParts,
  account: string,
  progress: (collection: string) => void = () => undefined,
): Promise<void> => {
  await accounts.updateOne({ _id: account, deleted_at: null }, { $set: { deleted_at: new Date() } });
  // Before it is gone, so that registration, which its being there has closed, does not open again. What is left of a refused
  // import has no name, and a trial's account does not count.
  const counting = { _id: account, username: { $ne: '' }, is_demo: { $ne: true } };
  if (await accounts.exists(counting)) await closeFirst(registrationClaims);
  await credentials.lock(account);
  await deleteOwned(collections, account, progress);
  await accounts.replaceOne({ _id: account }, { ...goneAccount(account), emptied_at: new Date() });
};

/** What is left of an account that is being deleted, or was a moment ago. */
export const goneAccount = (account: string) => {
  const nobody = `deleted ${account}`;
  return {
    _id: account,
    username: '',
    email: '',
    username_key: nobody,
    email_key: nobody,
    token_fingerprint: nobody,
    created_at: new Date(),
    deleted_at: new Date(),
  };
};

/** Deletes what is here of an account that is not: of an import that was broken off. */
export const deleteHalf = async (
  { collections, models: { audit, searchSegments } }: DeletionParts,
  account: string,
): Promise<void> => {
  await deleteOwned(collections, account, () => undefined);
  await audit.deleteMany({ account });
  await searchSegments.deleteMany({ account });
};

/** Deletes what has come since an account was deleted, and what `deleteAccount` has left of it. */
export const deleteRest = async (
  { collections, models: { accounts, audit, searchSegments } }: DeletionParts,
  account: string,
): Promise<void> => {
  await deleteOwned(collections, account, () => undefined);
  await accounts.deleteOne({ _id: account });
  // What a relay moved there meanwhile; from now on it moves nothing of this account any more.
  await audit.deleteMany({ account });
  await searchSegments.deleteMany({ account });
};
