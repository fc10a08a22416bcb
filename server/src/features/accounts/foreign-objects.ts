import { isUuid } from '@parlor/shared';
import type { CollectionData, MappedCollection } from '../../database/collection-data.ts';
import { type Document, isObject } from './account-copy.ts';
import type { AccountModel } from './accounts.model.ts';

/** How many ids are remembered that are no other account's; rooms and widgets are named again and again. */
const MAX_REMEMBERED = 100_000;

/** An object, and the line on which it stands. */
export interface ReadDocument {
  document: Document;
  line: number;
}

/**
 * The paths at which people's words stand, of which none names an object: texts, and lists of texts, that are the whole of a
 * `visitor` or `owner` field, and what the map of data says besides.
 */
const wordsIn = ({ fields, words = [] }: CollectionData<Record<string, unknown>>): ReadonlySet<string> =>
  new Set([...(fields.visitor ?? []), ...(fields.owner ?? []), ...words]);

/** Tells every text inside of a value that is a uuid as the server writes them, but for words. */
const tellUuids = (
  value: unknown,
  words: ReadonlySet<string>,
  tell: (uuid: string) => void,
  path = '',
): void => {
  if (typeof value === 'string') {
    if (isUuid(value) && !words.has(path)) tell(value);
  } else if (Array.isArray(value)) for (const one of value) tellUuids(one, words, tell, path);
  else if (isObject(value)) {
    for (const [name, one] of Object.entries(value))
      tellUuids(one, words, tell, path === '' ? name : `${path}.${name}`);
  }
};

/**
 * Looks for objects of other accounts in what is read in as one account's. Whatever names one, at whatever depth, would be
 * joined to it: a member to another account's widgets, and so to what their visitors wrote; a message to another's room.
 */
export class ForeignObjects {
  readonly #account: string;
  readonly #accounts: AccountModel;
  readonly #collections: readonly MappedCollection[];
  readonly #words: ReadonlyMap<string, ReadonlySet<string>>;
  #known = new Set<string>();

  constructor(account: string, accounts: AccountModel, collections: readonly MappedCollection[]) {
    this.#account = account;
    this.#accounts = accounts;
    // Those that name their account by what they belong to are reached by that alone.
    this.#collections = collections.filter(
      ({ model, data }) => data.copied && model.schema.path('account') !== undefined,
    );
    this.#words = new Map(collections.map(({ name, data }) => [name, wordsIn(data)]));
  }

  /**
   * The uuid of one that some documents name, or have for their own, and where; undefined: there is none.
   * @param collection whose documents they are
   */
  async namedIn(
    collection: string,
    read: readonly ReadDocument[],
  ): Promise<{ uuid: string; line: number } | undefined> {
    const words = this.#words.get(collection) ?? new Set();
    const lines = new Map<string, number>();
    for (const { document, line } of read) {
      tellUuids(document, words, (uuid) => {
        if (uuid !== this.#account && !this.#known.has(uuid) && !lines.has(uuid)) lines.set(uuid, line);
      });
    }
    const named = [...lines.keys()];
    if (named.length === 0) return undefined;
    const those = { _id: { $in: named } };
    const ofOthers = { ...those, account: { $nin: [this.#account, null] } };
    const found = await Promise.all([
      this.#accounts.findOne(those, { _id: 1 }).lean(),
      ...this.#collections.map(({ model }) => model.findOne(ofOthers as object, { _id: 1 }).lean()),
    ]);
    const uuid = found.find((one) => one !== null)?._id;
    if (uuid !== undefined) return { uuid: String(uuid), line: lines.get(String(uuid)) ?? 0 };
    if (this.#known.size > MAX_REMEMBERED) this.#known = new Set();
    for (const one of named) this.#known.add(one);
    return undefined;
  }
}
