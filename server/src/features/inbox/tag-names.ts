import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';

/** Names that are kept of an account; those that were first given longest ago go. */
export const KEPT_NAMES = 500;

/** The tags that an account has given, to be offered again. */
export interface TagNamesOf {
  /** The account. */
  _id: string;
  /** The one that was given first last stands first. */
  names: string[];
}

export const tagNamesModel = defineModel<TagNamesOf>('TagNames', { _id: String, names: [String] }, []);

/** The tags that accounts have given. They stay when no conversation has them any more. */
export class TagNames {
  readonly #names: Model<TagNamesOf>;

  constructor(names: Model<TagNamesOf>) {
    this.#names = names;
  }

  /** Newest first. */
  async of(account: string): Promise<string[]> {
    return (await this.#names.findOne({ _id: account }).lean<TagNamesOf>())?.names ?? [];
  }

  /** Remembers tags that are given. */
  async remember(account: string, tags: readonly string[]): Promise<void> {
    if (tags.length === 0) return;
    const known = new Set(await this.of(account));
    for (const tag of tags) {
      if (known.has(tag)) continue;
      await this.#names
        .updateOne(
          { _id: account, names: { $ne: tag } },
          { $push: { names: { $each: [tag], $position: 0, $slice: KEPT_NAMES } } },
          { upsert: true },
        )
        // Somebody else has just given the same one.
        .catch((error) => {
          if (error.code !== 11_000) throw error;
        });
    }
  }
}
