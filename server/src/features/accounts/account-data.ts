import type { Model } from 'mongoose';
import type { MappedCollection, Owner } from '../../database/collection-data.ts';
import { ParlorError } from '../../platform/errors.ts';
import type { AccountLeases, KeptLease } from './account-leases.ts';
import type { Account, AccountModel } from './accounts.model.ts';
import { alone, type Fence, fenceOf, WRITE_MS } from './deletion-lease.ts';
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
  return collections.flatMap(({ name, model, data: { owner, copied, emptied, erased } }) =>
    owner === 'server' || name === 'accounts'
      ? []
      : [
          {
            name,
            model,
            filter: ownedBy(owner, account, { widgets, workflows }),
            copied,
            emptied,
            markedBy: erased?.markedBy,
          },
        ],
  );
};

/**
 * What belongs to an account and is worth keeping, in the order in which it can be read in again: what others
 * refer to comes first. What waits for a subscriber goes along, and is sent by whoever reads it in, under the same
 * webhook-id, unless what it says has been erased. Claims and counts are this server's own.
 */
export const accountCollections = async (
  collections: readonly MappedCollection[],
  account: string,
): Promise<AccountCollection[]> =>
  (await ownedCollections(collections, account)).flatMap(({ copied, name, model, filter, markedBy }) => {
    if (!copied) return [];
    const unmarked = markedBy !== undefined && { [markedBy]: { $exists: false } };
    return [{ name, model, filter: { ...filter, ...unmarked }, sort: copied as Record<string, 1 | -1> }];
  });

type OwnedCollection = Awaited<ReturnType<typeof ownedCollections>>[number];

/** How many documents are deleted at a time: no request waits for a whole account. */
const STEP = 500;

/** Told of each step of a deletion before it is done, with the collection. What it throws ends that, and what is left can be deleted later. */
export type DeletionProgress = (collection: string) => void;

const deleteInSteps = async (
  { model, emptied }: Pick<OwnedCollection, 'model' | 'emptied'>,
  filter: object,
  fence: Fence,
  progress: () => void,
): Promise<void> => {
  for (;;) {
    progress();
    const some = await model.find(filter, { _id: 1 }).limit(STEP).lean();
    const these = { _id: { $in: some.map(({ _id }) => _id) } };
    const within = { maxTimeMS: WRITE_MS };
    if (some.length > 0) await fence();
    if (some.length > 0)
      await (emptied ? model.updateMany(these, emptied, within) : model.deleteMany(these, within));
    if (some.length < STEP) return;
  }
};

/** What the deletion of an account needs. */
export interface DeletionParts {
  /** Makes every token and password of its members useless. */
  credentials: { lock(account: string): Promise<void> };
  collections: readonly MappedCollection[];
  leases: Pick<AccountLeases, 'keep'>;
  models: { accounts: AccountModel; registrationClaims: RegistrationClaimModel };
}

/**
 * By what something goes out, and by what visitors and programs get in: that goes first, and each after what is found by way
 * of it.
 */
const WAYS_FIRST = ['webhooks', 'outgoingMails', 'sessions', 'graphs', 'workflows', 'widgets'];

const deleteOwned = async (
  collections: readonly MappedCollection[],
  account: string,
  fence: Fence,
  progress: DeletionProgress = () => undefined,
): Promise<void> => {
  const owned = (await ownedCollections(collections, account)).reverse();
  const ways = WAYS_FIRST.flatMap((wanted) => owned.filter(({ name }) => name === wanted));
  for (const collection of new Set([...ways, ...owned])) {
    const show = () => progress(collection.name);
    await deleteInSteps(collection, collection.filter, fence, show);
    // Sessions and graphs may have outlived what they are found by.
    if (collection.model.schema.path('account')) await deleteInSteps(collection, { account }, fence, show);
  }
};

/** An account that is being deleted: `deleted_at` tells it from one that was read in since, and is deleted, too. */
export type DeletedAccount = Pick<Account, '_id' | 'deleted_at'>;

/** Writes down that an account is being deleted, unless it is already: from then on nothing of it can be used. */
export const beginDeletion = async (accounts: AccountModel, account: string): Promise<void> => {
  await accounts.updateOne({ _id: account, deleted_at: null }, { $set: { deleted_at: new Date() } });
};

/**
 * Deletes all that belongs to an account. Nobody gets in any more first, and of the account itself nothing is left but that
 * it is gone: a deletion that was broken off is finished by doing it again. What requests that were under way have stored
 * since is left to `deleteRest`.
 * @throws ParlorError `unavailable` where another process has it in hand, which goes on
 */
export const deleteAccount = async (
  parts: DeletionParts,
  account: string,
  progress?: DeletionProgress,
): Promise<void> => {
  await beginDeletion(parts.models.accounts, account);
  const begun = await parts.models.accounts.findOne({ _id: account }, { deleted_at: 1 }).lean();
  if (!begun) return;
  if (await alone(parts.leases, account, (lease) => deleteUnder(parts, begun, lease, progress))) return;
  throw new ParlorError('unavailable', 'Another process deletes this account at the same time.');
};

/** `deleteAccount` under a lease that is held, of a deletion that was begun; one that is through by then stays so. */
export const deleteUnder = async (
  { credentials, collections, models: { accounts, registrationClaims } }: DeletionParts,
  { _id, deleted_at }: DeletedAccount,
  lease: KeptLease,
  progress?: DeletionProgress,
): Promise<void> => {
  const begun = { _id, deleted_at, emptied_at: null };
  const isBegun = async () => (await accounts.exists(begun)) !== null;
  if (!(await isBegun())) return;
  const fence = fenceOf(lease, isBegun);
  // Before it is gone, so that registration, which its being there has closed, does not open again. What is left of a refused
  // import has no name, and a trial's account does not count.
  if (await accounts.exists({ _id, username: { $ne: '' }, is_demo: { $ne: true } }))
    await closeFirst(registrationClaims);
  await fence();
  await credentials.lock(_id);
  await deleteOwned(collections, _id, fence, progress);
  await accounts.replaceOne(begun, { ...goneAccount(_id), emptied_at: new Date() });
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

/** Deletes what is here of an account that is not: of an import that was broken off. @param lease on the account */
export const deleteHalf = async (
  { collections, models: { accounts } }: DeletionParts,
  account: string,
  lease: KeptLease,
  progress?: DeletionProgress,
): Promise<void> => {
  const isNotThere = async () => (await accounts.exists({ _id: account })) === null;
  await deleteOwned(collections, account, fenceOf(lease, isNotThere), progress);
};

/**
 * Deletes what has come since an account was deleted, and what `deleteAccount` has left of it. What a relay moves of it
 * meanwhile it removes again by itself, since it sees that the account is emptied.
 * @param lease on the account
 */
export const deleteRest = async (
  { collections, models: { accounts } }: DeletionParts,
  account: string,
  lease: KeptLease,
  progress?: DeletionProgress,
): Promise<void> => {
  const left = { _id: account, emptied_at: { $exists: true } };
  const isLeft = async () => (await accounts.exists(left)) !== null;
  if (!(await isLeft())) return;
  await deleteOwned(collections, account, fenceOf(lease, isLeft), progress);
  await accounts.deleteOne(left);
};
