import type { Model } from 'mongoose';
import type { Logger } from 'pino';
import { defineModel } from '../../database/model.ts';
import { changeDocument } from '../../events/change.ts';
import type { Relay } from '../../events/relay.ts';
import type { Duration } from '../../platform/duration.ts';
import { ignoreMissing } from '../../platform/errors.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import type { AccountModel } from '../accounts/accounts.model.ts';
import type { Member } from '../members/member.ts';
import type { ConversationModel, StoredConversation } from './conversation.model.ts';
import { changeOf } from './state.ts';

/** How long whoever removes a member waits for its conversations: those that are left then are released in the background. */
const WITHIN_MS = 500;

/** For what a process that died has left, or was told while it could not be done. */
const SWEEP_EVERY_MS = 60_000;

/** The batch in which unread marks are taken out of conversations, and those of one member are looked for. */
const UNREAD_AT_ONCE = 500;
const ASSIGNED_AT_ONCE = 10;

/** A member that was removed, until nothing in its account's conversations is left to it. */
export interface StoredRelease {
  /** The member's uuid. */
  _id: string;
  account: string;
}

export type ReleaseModel = Model<StoredRelease>;

export const releaseModel = defineModel<StoredRelease>('Release', { _id: String, account: String }, [
  [{ account: 1 }],
]);

type Whose = Pick<Member, '_id' | 'account'>;

interface Parts {
  accounts: AccountModel;
  conversations: ConversationModel;
  releases: ReleaseModel;
  relay: Pick<Relay, 'announce'>;
  log: Logger;
}

/** Nobody takes care any more of what a member did who is gone, and nothing is left for it to read. */
export class Releases {
  readonly #parts: Parts;
  readonly #sweeper: Sweeper;
  #isStopping = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#sweeper = new Sweeper({
      sweep: () => this.sweep(),
      every: SWEEP_EVERY_MS,
      log: parts.log,
      failed: 'members who are gone were not looked for',
    });
  }

  start(): void {
    this.#sweeper.start();
  }

  stop(): Promise<void> {
    this.#isStopping = true;
    return this.#sweeper.stop();
  }

  /**
   * Releases what a member had, who is gone. It resolves when that is done or after half a second: one may have had every
   * conversation of years.
   */
  async release({ _id, account }: Whose, within: Duration = WITHIN_MS): Promise<void> {
    // Of an account that is being deleted nothing is to be told any more.
    if (!(await this.#isThere(account))) return;
    await this.#parts.releases.updateOne({ _id }, { $set: { account } }, { upsert: true });
    if (!(await this.#work({ _id, account }, performance.now() + within))) this.#sweeper.wake();
  }

  /** Goes on with all that is left. */
  async sweep(): Promise<void> {
    const { log, releases } = this.#parts;
    for (const member of await releases.find().sort({ _id: 1 }).lean<StoredRelease[]>()) {
      await this.#work(member, Number.POSITIVE_INFINITY).catch((error) =>
        log.warn(
          { err: error, member: member._id },
          'the conversations of a member who is gone were not released',
        ),
      );
    }
  }

  /** Of an account that is not whole yet it waits for the last step of its import, and a deleted one takes it along. */
  async #isThere(_id: string): Promise<boolean> {
    return (await this.#parts.accounts.exists({ _id, deleted_at: null })) !== null;
  }

  /** @returns whether nothing is left */
  async #work(member: Whose, deadline: Duration): Promise<boolean> {
    do {
      if (this.#isStopping || performance.now() > deadline) return false;
      if (!(await this.#isThere(member.account))) return false;
    } while ((await this.#forgetUnread(member)) || (await this.#releaseSome(member)));
    await this.#parts.releases.deleteOne({ _id: member._id });
    return true;
  }

  /** @returns whether there were any */
  async #forgetUnread({ _id: member, account }: Whose): Promise<boolean> {
    const { conversations } = this.#parts;
    const theirs = { account, unread: member };
    const found = await conversations.find(theirs, { _id: 1 }).limit(UNREAD_AT_ONCE).lean();
    if (found.length === 0) return false;
    // Their version, too: whoever is changing one of them at this moment looks at it again.
    await conversations.updateMany(
      { _id: { $in: found.map(({ _id }) => _id) }, unread: member },
      { $pull: { unread: member }, $inc: { version: 1 } },
    );
    return true;
  }

  /** @returns whether there were any */
  async #releaseSome({ _id: assignee, account }: Whose): Promise<boolean> {
    const { conversations, relay } = this.#parts;
    const found = await conversations.find({ account, assignee }, { _id: 1 }).limit(ASSIGNED_AT_ONCE).lean();
    for (const { _id } of found) {
      const changed = await changeDocument<StoredConversation>(conversations, { _id }, (current) => {
        const now = new Date();
        if (current.assignee !== assignee) return undefined;
        // What is done keeps its place in lists: nobody has done anything there.
        const moved = current.status !== 'done' && { updated_at: now };
        return changeOf(current, { assignee: null, assignee_at: now, ...moved });
      }).catch(ignoreMissing);
      if (changed) relay.announce(conversations, changed);
    }
    return found.length > 0;
  }
}
