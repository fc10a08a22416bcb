import { duplicateFields } from '../../database/duplicate.ts';
import { type FieldErrors, invalid, throwIfAny } from '../../platform/errors.ts';
import type { AccountLeases } from './account-leases.ts';
import type { MemberFields } from './member-fields.ts';

type Keys = Pick<MemberFields, 'username_key' | 'email_key'>;

/** A collection that people stand in. */
interface People {
  exists(filter: object): PromiseLike<unknown>;
}

const TAKEN: Record<string, [field: string, message: string]> = {
  username_key: ['username', 'A user with that username already exists.'],
  email_key: ['email', 'A user with that email already exists.'],
};

/** What is said of a name or address that somebody else has. @param keys the folded fields that are taken */
export const takenErrors = (keys: readonly string[]): FieldErrors =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const [field, message] = TAKEN[key] ?? [];
      return field && message ? [[field, [message]]] : [];
    }),
  );

/** Usernames and e-mail addresses: each is one member's, in whichever collection that stands. */
export class UniqueNames {
  readonly #collections: readonly People[];
  readonly #leases: AccountLeases;

  /** @param collections each has unique indexes of its own on both keys */
  constructor(collections: readonly People[], leases: AccountLeases) {
    this.#collections = collections;
    this.#leases = leases;
  }

  /**
   * Stores somebody by a name and an address that nobody has, and nobody else takes meanwhile.
   * @throws ParlorError `invalid` for those that are taken, and whatever `store` throws
   */
  take<T>({ username_key, email_key }: Keys, store: () => Promise<T>): Promise<T> {
    const keys = { username_key, email_key };
    return this.#leases.run(`username ${username_key}`, (ofName) =>
      this.#leases.run(`email ${email_key}`, async (ofAddress) => {
        throwIfAny(takenErrors(await this.#taken(keys)));
        // Each collection has its unique indexes; nothing but the leases holds across them.
        for (const lease of [ofName, ofAddress]) lease.check();
        try {
          return await store();
        } catch (error) {
          // An older process beside this one knows nothing of the lease.
          const duplicates = takenErrors(duplicateFields(error) ?? []);
          throw Object.keys(duplicates).length > 0 ? invalid(duplicates) : error;
        }
      }),
    );
  }

  async #taken(keys: Keys): Promise<string[]> {
    const found = await Promise.all(
      Object.entries(keys).map(async ([name, value]) => {
        const holders = await Promise.all(this.#collections.map((one) => one.exists({ [name]: value })));
        return holders.some(Boolean) ? [name] : [];
      }),
    );
    return found.flat();
  }
}
