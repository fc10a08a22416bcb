import { isUuid } from '@parlor/shared';
import type { Model } from 'mongoose';
import type { AccountModel } from './accounts.model.ts';

/** How many ids are remembered that are no other account's; rooms and widgets are named again and again. */
const MAX_REMEMBERED = 100_000;

/** Adds every text inside of a value that is a uuid as the server writes them. */
const addUuids = (value: unknown, uuids: Set<string>): void => {
  if (typeof value === 'string') {
    if (isUuid(value)) uuids.add(value);
  } else if (Array.isArray(value)) for (const one of value) addUuids(one, uuids);
  else if (value?.constructor === Object) for (const one of Object.values(value)) addUuids(one, uuids);
};

type Anything = Model<Record<string, unknown>>;

/**
 * Looks for objects of other accounts in what is read in as one account's. Whatever names one, at whatever depth, would be
 * joined to it: a member to another account's widgets, and so to what their visitors wrote; a message to another's room.
 */
export class ForeignObjects {
  readonly #account: string;
  readonly #accounts: AccountModel;
  readonly #collections: readonly Anything[];
  #known = new Set<string>();

  /** @param collections those with accounts' objects */
  constructor(account: string, accounts: AccountModel, collections: readonly Anything[]) {
    this.#account = account;
    this.#accounts = accounts;
    // Those that name their account by what they belong to are reached by that alone.
    this.#collections = collections.filter(({ schema }) => schema.path('account') !== undefined);
  }

  /** The uuid of one that some documents name, or have for their own; undefined: there is none. */
  async namedIn(documents: readonly object[]): Promise<string | undefined> {
    const uuids = new Set<string>();
    addUuids(documents, uuids);
    const named = [...uuids].filter((uuid) => uuid !== this.#account && !this.#known.has(uuid));
    if (named.length === 0) return undefined;
    const those = { _id: { $in: named } };
    const ofOthers = { ...those, account: { $nin: [this.#account, null] } };
    const found = await Promise.all([
      this.#accounts.findOne(those, { _id: 1 }).lean(),
      ...this.#collections.map((model) => model.findOne(ofOthers as object, { _id: 1 }).lean()),
    ]);
    const foreign = found.find((one) => one !== null);
    if (foreign) return String(foreign._id);
    if (this.#known.size > MAX_REMEMBERED) this.#known = new Set();
    for (const uuid of named) this.#known.add(uuid);
    return undefined;
  }
}
