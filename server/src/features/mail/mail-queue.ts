import { duplicateFields } from '../../database/duplicate.ts';
import { EVER, hasCome } from '../../database/has-come.ts';
import type { Duration } from '../../platform/duration.ts';
import type { Batch, MailKind, OutgoingMail, OutgoingMailModel } from './outgoing-mails.model.ts';

/** A mail that waits. */
export type WaitingMail = OutgoingMail & { due_at: Date };

/** One that this process tries. */
export type ClaimedMail = WaitingMail & { batch: Batch };

/** What the next mail of a kind has to keep to. */
interface Request {
  /** Milliseconds after the one before. */
  window: Duration;
  base_url?: string;
  /** Whom it goes to, if not the account's own address. */
  member?: string;
  /** The member's `session_epoch`, where the mail is of no use in a later one. */
  epoch?: number;
}

const CLAIM = { claim: 1 as const };

/**
 * The mails that are to go out: who asks for one is sure to be told of in it, whatever dies when. A mail that is tried is
 * claimed: it is due again when the claim runs out, so that no other process tries it meanwhile, also one of an older
 * version, which knows no lease on the SMTP server. `due_at` tells whether a mail was changed since it was read.
 */
export class MailQueue {
  readonly #model: OutgoingMailModel;
  #onRequest: () => void = () => undefined;

  constructor(model: OutgoingMailModel) {
    this.#model = model;
  }

  /** @param listener told when a mail was asked for */
  onRequest(listener: () => void): void {
    this.#onRequest = listener;
  }

  /** Sees to it that a mail goes out which begins after this call: the one that waits already, or a new one. */
  async request(
    account: string,
    kind: MailKind,
    { window, base_url, member, epoch }: Request,
  ): Promise<void> {
    const _id = [account, kind, ...(member === undefined ? [] : [member])].join(' ');
    const set = {
      $inc: { requests: 1 },
      ...(base_url !== undefined && { $set: { base_url } }),
      // Who asked before the last password, and writes after it, takes nothing from whoever asked since.
      ...(epoch !== undefined && { $max: { epoch } }),
    };
    const count = () =>
      this.#model
        .findOneAndUpdate(
          { _id },
          { ...set, $setOnInsert: { account, kind, tries: 0, ...(member !== undefined && { member }) } },
          { upsert: true, returnDocument: 'after' },
        )
        .lean<OutgoingMail>();
    const mail = await count().catch((error) => {
      // The first two requests came at once.
      if (!duplicateFields(error)) throw error;
      return count();
    });
    // To a member the same is written whether or not one waits: it waits longer for somebody than for nobody.
    if (!mail || (mail.due_at && member === undefined)) return;
    const now = Date.now();
    // Never longer than the window, also where the clock was put back since the one before.
    const wait = Math.min((mail.last_at?.getTime() ?? 0) + window - now, window);
    const due_at = new Date(now + Math.max(0, wait));
    await this.#model.updateOne({ _id, due_at: { $exists: false } }, { $set: { due_at } });
    this.#onRequest();
  }

  /** The mails that wait, by the time when they are due. */
  waiting(limit: number): Promise<WaitingMail[]> {
    const due_at = { $gt: EVER };
    return this.#model.find({ due_at }).sort({ due_at: 1 }).limit(limit).lean<WaitingMail[]>().exec();
  }

  /** The first mail that is due. @param longest how far ahead of now one is ever due (milliseconds) */
  toSend(longest: Duration): Promise<WaitingMail[]> {
    const due = hasCome('due_at', new Date(), longest);
    return this.#model.find(due).sort({ due_at: 1 }).limit(1).lean<WaitingMail[]>().exec();
  }

  /** Makes due now what is due later than `latest`. @returns whether there was any */
  async bringForward(latest: Date): Promise<boolean> {
    const putOff = { due_at: { $gt: latest } };
    if (!(await this.#model.exists(putOff))) return false;
    await this.#model.updateMany(putOff, { $set: { due_at: new Date() } });
    return true;
  }

  /** Frees what a process had claimed that was alone on this database and is dead. */
  async freeClaims(): Promise<void> {
    const claimed = { due_at: { $gt: new Date() }, claim: { $exists: true } };
    await this.#model.updateMany(claimed, { $set: { due_at: new Date() }, $unset: CLAIM });
  }

  /**
   * Claims a mail with what it is about, for `lease` milliseconds.
   * @returns undefined when it was changed meanwhile, as by another process's claim
   */
  async claim(mail: WaitingMail, batch: Batch, lease: Duration): Promise<ClaimedMail | undefined> {
    const due_at = new Date(Date.now() + lease);
    const set = { $set: { batch, due_at, claim: batch.id } };
    const { matchedCount } = await this.#model.updateOne(unchanged(mail), set);
    return matchedCount === 1 ? { ...mail, batch, due_at } : undefined;
  }

  /** Nothing is to be sent until somebody asks, unless somebody has since this was read. */
  async park(mail: WaitingMail): Promise<void> {
    const unseen = { ...unchanged(mail), requests: mail.requests };
    await this.#model.updateOne(unseen, { $unset: { due_at: 1, ...CLAIM } });
  }

  async postpone(mail: WaitingMail, due_at: Date): Promise<void> {
    await this.#model.updateOne(unchanged(mail), { $set: { due_at }, $unset: CLAIM });
  }

  async retry(mail: WaitingMail, due_at: Date, error: string): Promise<void> {
    const update = { $set: { due_at, error }, $inc: { tries: 1 }, $unset: CLAIM };
    await this.#model.updateOne(unchanged(mail), update);
  }

  /** The batch is through: whatever else there is to tell of is looked for at `due_at`. */
  async finish({ _id, batch }: ClaimedMail, due_at: Date): Promise<void> {
    await this.#model.updateOne(
      { _id, 'batch.id': batch.id },
      {
        $set: { last_at: new Date(), due_at, tries: 0 },
        $unset: { batch: 1, error: 1, ...CLAIM },
      },
    );
  }

  /** The batch is through, and there is nothing else to tell of, unless somebody has asked since it was read. */
  async end(mail: ClaimedMail): Promise<void> {
    const { _id, batch, requests } = mail;
    const { deletedCount } = await this.#model.deleteOne({ _id, 'batch.id': batch.id, requests });
    if (deletedCount === 0) await this.finish(mail, new Date());
  }

  async remove(mail: WaitingMail): Promise<void> {
    await this.#model.deleteOne(unchanged(mail));
  }
}

const unchanged = ({ _id, due_at }: WaitingMail) => ({ _id, due_at });
