import { duplicateFields } from '../../database/duplicate.ts';
import type { Duration } from '../../platform/duration.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Batch, MailKind, OutgoingMail, OutgoingMailModel } from './outgoing-mails.model.ts';

/** A mail in the hands of this process. */
export type ClaimedMail = OutgoingMail & { claim: string };

/** One that has begun. */
export type FixedMail = ClaimedMail & { batch: Batch };

/** What the next mail of a kind has to keep to. */
interface Request {
  /** Milliseconds after the one before. */
  window: Duration;
  base_url?: string;
}

/**
 * The mails that are to go out: who asks for one is sure to be told of in it, whatever dies when. A claim is one write
 * and runs out; no process touches what another one has claimed since.
 */
export class MailQueue {
  readonly #model: OutgoingMailModel;

  constructor(model: OutgoingMailModel) {
    this.#model = model;
  }

  /** Sees to it that a mail goes out which begins after this call: the one that waits already, or a new one. */
  async request(account: string, kind: MailKind, { window, base_url }: Request): Promise<void> {
    const _id = `${account} ${kind}`;
    const set = { $inc: { requests: 1 }, ...(base_url !== undefined && { $set: { base_url } }) };
    const count = () =>
      this.#model
        .findOneAndUpdate(
          { _id },
          { ...set, $setOnInsert: { account, kind, tries: 0 } },
          { upsert: true, returnDocument: 'after' },
        )
        .lean<OutgoingMail>();
    const mail = await count().catch((error) => {
      // The first two requests came at once.
      if (!duplicateFields(error)) throw error;
      return count();
    });
    if (!mail || mail.due_at) return;
    const earliest = (mail.last_at?.getTime() ?? 0) + window;
    const due_at = new Date(Math.max(Date.now(), earliest));
    await this.#model.updateOne({ _id, due_at: { $exists: false } }, { $set: { due_at } });
  }

  /** The mail that is due longest, for `lease` milliseconds; undefined when none is due. */
  async claim(lease: Duration): Promise<ClaimedMail | undefined> {
    const now = Date.now();
    const mail = await this.#model
      .findOneAndUpdate(
        { due_at: { $lte: new Date(now) } },
        { $set: { due_at: new Date(now + lease), claim: newUuid() } },
        { sort: { due_at: 1 }, returnDocument: 'after' },
      )
      .lean<ClaimedMail>();
    return mail ?? undefined;
  }

  /** Frees what a process had claimed that was alone on this database and is dead. */
  async freeClaims(): Promise<void> {
    const claimed = { due_at: { $gt: new Date() }, claim: { $exists: true } };
    await this.#model.updateMany(claimed, { $set: { due_at: new Date() }, $unset: { claim: 1 } });
  }

  /** @returns the mail with its batch; undefined when the claim has run out */
  async fix(mail: ClaimedMail, batch: Batch): Promise<FixedMail | undefined> {
    const { modifiedCount } = await this.#model.updateOne(mine(mail), { $set: { batch } });
    return modifiedCount === 1 ? { ...mail, batch } : undefined;
  }

  /** Nothing is to be sent until somebody asks, unless somebody has since this was claimed. */
  async park(mail: ClaimedMail): Promise<void> {
    const unseen = { ...mine(mail), requests: mail.requests };
    const { modifiedCount } = await this.#model.updateOne(unseen, { $unset: { due_at: 1, claim: 1 } });
    if (modifiedCount === 0) await this.postpone(mail, new Date());
  }

  async postpone(mail: ClaimedMail, due_at: Date): Promise<void> {
    await this.#model.updateOne(mine(mail), { $set: { due_at }, $unset: { claim: 1 } });
  }

  async retry(mail: ClaimedMail, due_at: Date, error: string): Promise<void> {
    await this.#model.updateOne(mine(mail), {
      $set: { due_at, error },
      $inc: { tries: 1 },
      $unset: { claim: 1 },
    });
  }

  /**
   * The batch is through: whatever else there is to tell of is looked for after the window. Of two that have sent it,
   * since the first one's claim ran out, one comes too late.
   */
  async finish({ _id, batch }: FixedMail, window: Duration): Promise<void> {
    const now = Date.now();
    await this.#model.updateOne(
      { _id, 'batch.id': batch.id },
      {
        $set: { last_at: new Date(now), due_at: new Date(now + window), tries: 0 },
        $unset: { batch: 1, claim: 1, error: 1 },
      },
    );
  }

  /** The batch is through, and there is nothing else to tell of, unless somebody has asked since it was claimed. */
  async end(mail: FixedMail): Promise<void> {
    const { _id, batch, requests } = mail;
    const { deletedCount } = await this.#model.deleteOne({ _id, 'batch.id': batch.id, requests });
    if (deletedCount === 0) await this.finish(mail, 0);
  }

  async remove(mail: ClaimedMail): Promise<void> {
    await this.#model.deleteOne(mine(mail));
  }
}

const mine = ({ _id, claim }: ClaimedMail) => ({ _id, claim });
