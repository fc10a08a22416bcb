import {
  codePoints,
  Keyword,
  MAX_KEYWORD,
  MAX_NAMED_KEYWORDS,
  type NewKeyword,
  tooLong,
} from '@parlor/shared';
import { present } from '../../database/document.ts';
import { duplicateFields } from '../../database/duplicate.ts';
import { foldAnew } from '../../database/fold-anew.ts';
import { type Page, readPages } from '../../database/pages.ts';
import type { Action } from '../../events/audit.ts';
import { AuditedCollection, type Outbox } from '../../events/audited-collection.ts';
import { CpuBudget } from '../../platform/cpu-budget.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import { fold } from '../../platform/folding.ts';
import { newUuid } from '../../platform/ids.ts';
import { QUOTAS } from '../accounts/quotas.ts';
import type { KeywordModel, StoredKeyword } from './keywords.model.ts';
import { MatcherCache } from './matcher-cache.ts';

/** Keywords that a text mentions. */
export interface Mentioned {
  /** At most MAX_NAMED_KEYWORDS: each webhook and each mail has a copy. */
  named: string[];
  /** All of them. */
  count: number;
}

/**
 * Keywords: the words of a customer that an account wants to be told of
 * (docs/contract.md#keyword-notification).
 */
export class KeywordsService {
  readonly #keywords: KeywordModel;
  readonly #audited: AuditedCollection<StoredKeyword>;
  readonly #matchers: MatcherCache;

  constructor(keywords: KeywordModel, outbox: Outbox) {
    this.#keywords = keywords;
    this.#audited = new AuditedCollection(keywords, outbox, {
      kind: 'keyword',
      label: ({ keyword }) => keyword,
      fields: {},
    });
    this.#matchers = new MatcherCache(keywords, QUOTAS.keywords);
  }

  /** @throws ParlorError `invalid` for one that is there already, however it is spelt, or too long. */
  async create(
    account: string,
    { keyword }: NewKeyword,
    uuid = newUuid(),
    action?: Action,
  ): Promise<StoredKeyword> {
    const folded = fold(keyword);
    // U+FDFA becomes 18 letters: what is folded has to fit into the index, too.
    if (codePoints(folded) > MAX_KEYWORD) throw invalid({ keyword: [tooLong(MAX_KEYWORD)] });
    await foldAnew(this.#keywords, account, 'keyword');
    const made: StoredKeyword = { _id: uuid, keyword, created_at: new Date(), account, folded };
    const { stored } = await this.#audited.insert(made, action).catch((error) => {
      if (!duplicateFields(error)) throw error;
      throw invalid({ keyword: ['This field must be unique.'] });
    });
    return stored;
  }

  list(account: string, page: Page): AsyncGenerator<StoredKeyword[]> {
    return readPages(this.#keywords, { account }, 'created_at', page);
  }

  /** @throws ParlorError `not_found`, also for another account's keyword. */
  async get(account: string, uuid: string): Promise<StoredKeyword> {
    const keyword = await this.#keywords.findOne({ _id: uuid, account }).lean<StoredKeyword>();
    if (!keyword) throw notFound();
    return keyword;
  }

  /** @throws ParlorError `not_found`, and whatever `check` throws. */
  async delete(
    account: string,
    uuid: string,
    check?: (current: Keyword) => void,
    action?: Action,
  ): Promise<void> {
    await this.#audited.delete({ _id: uuid, account }, action, (current) => check?.(presentKeyword(current)));
  }

  /** For each text the keywords of the account that it mentions, as configured: the first ones in the order of their making. */
  async mentionedIn(account: string, texts: readonly string[]): Promise<Mentioned[]> {
    const { matcher, keywords } = await this.#matchers.of(account);
    if (keywords.length === 0) return texts.map(() => ({ named: [], count: 0 }));
    const budget = new CpuBudget(account);
    const mentioned: Mentioned[] = [];
    for (const text of texts) {
      const found = await matcher.mentionedIn(fold(text), budget);
      const all = found.flatMap((index) => keywords[index] ?? []);
      mentioned.push({ named: all.slice(0, MAX_NAMED_KEYWORDS), count: all.length });
    }
    return mentioned;
  }
}

/** The API's form of a keyword. */
export const presentKeyword = (keyword: StoredKeyword): Keyword => present(Keyword, keyword);
