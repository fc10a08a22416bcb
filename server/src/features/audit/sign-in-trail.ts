import type { Logger } from 'pino';
import { v5 } from 'uuid';
import { duplicateFields } from '../../database/duplicate.ts';
import type { ActionOfOne } from '../../events/audit.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import type { AccountModel } from '../accounts/accounts.model.ts';
import type { ActiveMember } from '../members/member.ts';
import { asActor, asAudited } from '../members/member-audit.ts';
import type { SignInRecord } from '../members/sign-in.ts';
import type { AuditModel, StoredAuditEntry } from './audit.model.ts';
import { removeOfGone } from './gone-accounts.ts';

const HOUR_MS = 3_600_000;

/** Addresses that have an entry of their own in an hour of a member; all further ones share one. */
const MAX_ADDRESSES = 10;

/** Failed sign-ins are counted in memory, and written this often. */
const WRITTEN_EVERY_MS = 1_000;

/** Members and addresses that are counted at a time; beyond them an attempt leaves no trace but in the limits. */
const MAX_COUNTED = 1_000;

const NOBODY = { kind: 'unknown', uuid: null, name: '', token: null } as const;

/** Attempts of one kind by one member from one address: their number, and when the last one was. */
interface Attempts {
  member: ActiveMember;
  action: string;
  actor: StoredAuditEntry['actor'];
  address: string;
  count: number;
  last_at: Date;
}

/**
 * Sign-ins in the audit trail: those of one member from one address in one hour are one entry that counts, so that
 * neither programs that sign in each minute nor who guesses at passwords fills the disk.
 */
export class SignInTrail implements SignInRecord {
  readonly #models: { audit: AuditModel; accounts: AccountModel };
  readonly #sweeper: Sweeper;
  #failed = new Map<string, Attempts>();

  constructor(models: { audit: AuditModel; accounts: AccountModel }, log: Logger) {
    this.#models = models;
    this.#sweeper = new Sweeper({
      sweep: () => this.#writeFailed(),
      every: WRITTEN_EVERY_MS,
      log,
      failed: 'failed sign-ins are missing in the audit trail: writing them failed',
    });
  }

  async succeeded(
    member: ActiveMember,
    { name, actor = asActor(member), address }: ActionOfOne,
  ): Promise<void> {
    await this.#write({ member, action: name, actor, address, count: 1, last_at: new Date() });
  }

  failed(member: ActiveMember, address: string): void {
    const key = `${member._id} ${address}`;
    const known = this.#failed.get(key);
    if (!known && this.#failed.size >= MAX_COUNTED) return;
    this.#failed.set(key, {
      member,
      action: 'failedSignIn',
      actor: NOBODY,
      address,
      count: (known?.count ?? 0) + 1,
      last_at: new Date(),
    });
  }

  start(): void {
    this.#sweeper.start();
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop();
    await this.#writeFailed();
  }

  async #writeFailed(): Promise<void> {
    const failed = this.#failed;
    this.#failed = new Map();
    for (const attempts of failed.values()) await this.#write(attempts);
  }

  /** Each address of an hour takes the first free slot; the last slot takes all that find none. */
  async #write(attempts: Attempts): Promise<void> {
    const { member, action, last_at } = attempts;
    const hour = Math.floor(last_at.getTime() / HOUR_MS);
    for (let slot = 0; ; slot++) {
      const address = slot < MAX_ADDRESSES && attempts.address !== '' ? attempts.address : null;
      const _id = v5(`${action} ${hour} ${slot}`, member._id);
      if (await this.#count({ _id, ...(slot < MAX_ADDRESSES && { address }) }, { ...attempts, address }))
        return;
    }
  }

  /** @returns false where the slot is another address's */
  async #count(
    slot: object,
    {
      member,
      action,
      actor,
      address,
      count,
      last_at,
    }: Omit<Attempts, 'address'> & { address: string | null },
  ): Promise<boolean> {
    const first = {
      account: member.account,
      at: last_at,
      actor,
      action,
      object: asAudited(member),
      changes: [],
      ...(!('address' in slot) && { address }),
    };
    const counted = { $inc: { count }, $max: { last_at } };
    try {
      const { upsertedCount } = await this.#models.audit.updateOne(
        slot,
        { ...counted, $setOnInsert: first },
        { upsert: true },
      );
      if (upsertedCount === 1) await removeOfGone(this.#models, [member.account]);
      return true;
    } catch (error) {
      if (!duplicateFields(error)) throw error;
      // Of two who take a free slot at once, for one address too, one is told so.
      const { matchedCount } = await this.#models.audit.updateOne(slot, counted);
      return matchedCount === 1;
    }
  }
}
