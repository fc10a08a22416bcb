import { AuditEntry } from '@parlor/shared';
import { present } from '../../database/document.ts';
import { indexesServing } from '../../database/fewest.ts';
import { insertMissing } from '../../database/insert.ts';
import { type Page, readPages, type Steps } from '../../database/pages.ts';
import type { AuditData } from '../../events/audit.ts';
import type { OutboxEvent } from '../../events/events.ts';
import type { EventConsumer } from '../../events/relay.ts';
import type { AccountModel } from '../accounts/accounts.model.ts';
import type { AuditModel, StoredAuditEntry } from './audit.model.ts';
import { removeOfGone } from './gone-accounts.ts';

/** The batch size of reads: an entry of a saved reply that was changed has 80 kB. */
const STEP = 26;

/** Which entries are asked for. */
export interface AuditFilter {
  /** Who did it: the uuid of a member. */
  member?: string | undefined;
  /** What it was about. */
  object?: string | undefined;
  kind?: string | undefined;
  action?: string | undefined;
}

/** What changed an account's settings, people and credentials (docs/contract.md#audit-trail). */
export class AuditTrail {
  readonly #models: { audit: AuditModel; accounts: AccountModel };

  constructor(models: { audit: AuditModel; accounts: AccountModel }) {
    this.#models = models;
  }

  /** Moves entries from the documents that they were written with into the trail; a second time changes nothing. */
  readonly consume: EventConsumer = async (events) => {
    await this.#add(events.filter(({ name }) => name === 'audit').map(entryOf));
  };

  /** Adds an entry of what writes no document, such as an export. */
  async add(event: OutboxEvent): Promise<void> {
    await this.#add([entryOf(event)]);
  }

  list(account: string, { member, object, kind, action }: AuditFilter, page: Page): Steps<StoredAuditEntry> {
    const filter = {
      account,
      ...(member !== undefined && { 'actor.uuid': member }),
      ...(object !== undefined && { 'object.uuid': object }),
      ...(kind !== undefined && { 'object.kind': kind }),
      ...(action !== undefined && { action }),
    };
    const { audit } = this.#models;
    const indexes = indexesServing(audit, filter, 'at');
    return readPages(audit, filter, 'at', page, { indexes, most: STEP });
  }

  async #add(entries: readonly StoredAuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await insertMissing(this.#models.audit, entries);
    await removeOfGone(this.#models, [...new Set(entries.map(({ account }) => account))]);
  }
}

const entryOf = ({ id, account, at, data }: OutboxEvent): StoredAuditEntry => ({
  _id: id,
  account,
  at,
  last_at: at,
  count: 1,
  ...(data as AuditData),
});

/** The API's form of an entry. */
export const presentAuditEntry = (entry: StoredAuditEntry): AuditEntry => present(AuditEntry, entry);
