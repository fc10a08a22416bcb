import type { Logger } from 'pino';
import { DatabaseError } from '../database/database-error.ts';
import type { KeyRecordModel } from '../database/key-record.ts';
import { KEY_RECORD_ID, type KeyRecord } from '../database/recorded-keys.ts';
import type { Duration } from '../platform/duration.ts';
import { newUuid } from '../platform/ids.ts';
import { Sweeper } from '../platform/sweeper.ts';
import type { HeldKeys, SenderModel } from './origin-leases.model.ts';
import { LEASE_TIMING } from './origin-leases.ts';

interface Parts {
  models: { webhookSenders: SenderModel; secretKeys: KeyRecordModel };
  keys: { readonly held: HeldKeys };
  /** How often it shows that it lives. */
  beatEvery?: Duration;
  log: Logger;
}

/**
 * The keys of a command that runs beside servers, written down as theirs are: `keys rotate` refuses as long as one runs that
 * seals by another key. What this one seals by does not change until it ends.
 */
class CommandKeys {
  readonly #senders: SenderModel;
  readonly #record: KeyRecordModel;
  readonly #own: HeldKeys & { _id: string; command: string };
  readonly #beats: Sweeper;
  /** Rejects when the database takes the key of this command no more, as after it could not be reached for long. */
  readonly gone: Promise<never>;
  #failGone: (error: DatabaseError) => void = () => undefined;

  constructor(command: string, { models, keys, beatEvery = LEASE_TIMING.beatEvery, log }: Parts) {
    this.#senders = models.webhookSenders;
    this.#record = models.secretKeys;
    this.#own = { _id: newUuid(), command, ...keys.held };
    const failed = 'the database does not answer: "keys rotate" may miss this command';
    this.#beats = new Sweeper({ sweep: () => this.#beat(), every: beatEvery, log, failed });
    this.gone = new Promise((_, reject) => {
      this.#failGone = reject;
    });
  }

  /** @throws DatabaseError where nothing may be sealed by this key any more */
  async begin(): Promise<void> {
    await this.#enter();
    this.#beats.start();
  }

  async end(): Promise<void> {
    await this.#beats.stop();
    // One that stays is missed, as of a command that was killed.
    await this.#senders.deleteOne({ _id: this.#own._id }).catch(() => undefined);
  }

  /** First it is written down, then looked for a rotation, which does both in the opposite order: one sees the other. */
  async #enter(): Promise<void> {
    await this.#senders.insertOne({ ...this.#own, beat: 0 });
    const record = await this.#read();
    const refusal = this.#isTakenBy(record) ? this.#refusedByRotation(record) : this.#refused();
    if (!refusal) return;
    await this.#senders.deleteOne({ _id: this.#own._id });
    throw refusal;
  }

  async #beat(): Promise<void> {
    const { matchedCount } = await this.#senders.updateOne({ _id: this.#own._id }, { $inc: { beat: 1 } });
    try {
      // Others took it for dead.
      if (matchedCount === 0) await this.#enter();
      else if (!this.#isTakenBy(await this.#read())) throw this.#refused();
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      this.#failGone(error);
    }
  }

  #read(): Promise<KeyRecord | null> {
    return this.#record.findOne({ _id: KEY_RECORD_ID }).lean<KeyRecord>();
  }

  #isTakenBy(record: KeyRecord | null): boolean {
    return !record || record.fingerprints.includes(this.#own.sealed_by ?? '');
  }

  #refused(): DatabaseError {
    return new DatabaseError(
      `the database takes the key ${this.#own.sealed_by} no more, by which this command seals: give it again with the present one alone`,
    );
  }

  #refusedByRotation(record: KeyRecord | null): DatabaseError | undefined {
    const key = record?.rotating_to;
    if (key === undefined || key === this.#own.sealed_by) return undefined;
    return new DatabaseError(
      `"keys rotate" seals everything by ${key}, and this command would by ${this.#own.sealed_by}: set SECRET_KEY to that one, and ` +
        'give this again when that has ended (where it was interrupted, give that again first)',
    );
  }
}

/**
 * Does the work of a command while others on the database know of its keys.
 * @throws DatabaseError where nothing may be sealed by them
 */
export const withKnownKeys = async <T>(command: string, parts: Parts, work: () => Promise<T>): Promise<T> => {
  const keys = new CommandKeys(command, parts);
  await keys.begin();
  try {
    return await Promise.race([work(), keys.gone]);
  } finally {
    await keys.end();
  }
};
