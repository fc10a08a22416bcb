import type { Model } from 'mongoose';
import type { Services } from '../../compose.ts';
import { DATA_MAP } from '../../data-map.ts';
import type { CollectionData, Owner } from '../../database/collection-data.ts';
import type { Models } from '../../models.ts';

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

const collections = (models: Models): [name: string, Model<Anything>, CollectionData<Anything>][] =>
  (Object.keys(DATA_MAP) as (keyof Models)[]).map((name) => [
    name,
    models[name] as unknown as Model<Anything>,
    DATA_MAP[name] as unknown as CollectionData<Anything>,
  ]);

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
const ownedCollections = async (models: Models, account: string) => {
  const idsOf = async (model: unknown): Promise<string[]> =>
    (await (model as Model<Anything>).find({ account }, { _id: 1 }).lean()).map(({ _id }) => String(_id));
  const [widgets, workflows] = await Promise.all([idsOf(models.widgets), idsOf(models.workflows)]);
  return collections(models).flatMap(([name, model, { owner, copied }]) =>
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
export const accountCollections = async (models: Models, account: string): Promise<AccountCollection[]> =>
  (await ownedCollections(models, account)).flatMap(({ copied, ...collection }) =>
    copied ? [{ ...collection, sort: copied as Record<string, 1 | -1> }] : [],
  );

/**
 * Deletes an account and all that belongs to it. Its token and password are dead first, and the account itself
 * goes last: a deletion that was broken off is finished by doing it again.
 */
export const deleteAccount = async (
  { accounts, models }: Pick<Services, 'accounts' | 'models'>,
  account: string,
  progress: (collection: string) => void = () => undefined,
): Promise<void> => {
  await accounts.lock(account);
  const owned = await ownedCollections(models, account);
  // What is found by way of a widget or workflow goes while those are still there.
  for (const { name, model, filter } of owned.reverse()) {
    progress(name);
    await model.deleteMany(filter);
    // Sessions outlive their widget for a while.
    if (model.schema.path('account')) await model.deleteMany({ account });
  }
  await models.accounts.deleteOne({ _id: account });
};
