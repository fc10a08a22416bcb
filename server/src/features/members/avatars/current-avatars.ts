import type { Author, MemberReference } from '@parlor/shared';
import { findBy } from '../../../database/find-by.ts';
import type { Account } from '../../accounts/accounts.model.ts';
import type { StoredMember } from '../member.ts';
import type { MemberModels } from '../member-store.ts';
import { avatarUrl } from './avatar-url.ts';

/** What is shown with who wrote it, as it is stored: without a picture. */
export type AsWritten<T> = {
  [K in keyof T]: K extends 'author' ? MemberReference | Extract<T[K], null | undefined> : T[K];
};

/** What a member may have written. */
type Written = { author?: Author | null };

/**
 * Which pictures members have now. What they wrote holds their names of then, and no picture: who chose another one, or none,
 * has it everywhere.
 */
export class CurrentAvatars {
  readonly #byAccount: (id: string) => Promise<Pick<Account, '_id' | 'founder' | 'avatar'> | undefined>;
  readonly #byMember: (id: string) => Promise<Pick<StoredMember, '_id' | 'account' | 'avatar'> | undefined>;

  constructor({ accounts, members }: MemberModels) {
    this.#byAccount = findBy(accounts, '_id', { founder: 1, avatar: 1 });
    this.#byMember = findBy(members, '_id', { account: 1, avatar: 1 });
  }

  /** The keys of members' pictures, by their uuids; those who have none, or are no members any more, are absent. */
  async of(account: string, uuids: readonly string[]): Promise<Map<string, string>> {
    const wanted = [...new Set(uuids)];
    const [owner, ...others] = await Promise.all([
      this.#byAccount(account),
      ...wanted.map((uuid) => this.#byMember(uuid)),
    ]);
    const found = new Map<string, string>();
    for (const other of others) {
      if (other?.account === account && other.avatar !== undefined) found.set(other._id, other.avatar);
    }
    // The founding member's counts last: while a member takes that place, it stands in both.
    if (owner) {
      const { _id, founder = _id, avatar } = owner;
      if (avatar === undefined) found.delete(founder);
      else found.set(founder, avatar);
    }
    return found;
  }

  /** What is about to be shown, with their pictures beside the authors' names. @param base of addresses */
  async show<T extends Written | undefined>(
    account: string,
    base: string,
    objects: readonly AsWritten<T>[],
  ): Promise<T[]> {
    const written = objects as readonly (AsWritten<Written> | undefined)[];
    const authors = written.flatMap((one) => one?.author?.uuid ?? []);
    if (authors.length === 0) return objects as readonly unknown[] as T[];
    const keys = await this.of(account, authors);
    return written.map((one) => {
      if (!one?.author) return one;
      const { uuid, name } = one.author;
      return Object.assign({}, one, { author: { uuid, name, avatar: avatarUrl(base, keys.get(uuid)) } });
    }) as T[];
  }

  /** `show` for one. */
  async showOne<T extends Written>(account: string, base: string, object: AsWritten<T>): Promise<T> {
    const [shown] = await this.show<T>(account, base, [object]);
    return shown as T;
  }
}
