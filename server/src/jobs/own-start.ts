import type { KeyRecordModel } from '../database/key-record.ts';
import { KEPT_STARTS, KEY_RECORD_ID, type KeyRecord } from '../database/recorded-keys.ts';
import { newUuid } from '../platform/ids.ts';

/** A start as the database counts it. */
interface Start {
  id: string;
  /** How many there were with it. */
  count: number;
}

/** The start of this process in the database's record: an earlier state of the database knows of fewer, or of others in its place. */
export class OwnStart {
  #own: Start | undefined;

  /** Whether the database has counted it. */
  get isCounted(): boolean {
    return this.#own !== undefined;
  }

  /** Counts this start. @returns the record; null while there is none, which counts nothing */
  async count(records: KeyRecordModel): Promise<KeyRecord | null> {
    const id = newUuid();
    const counted = { $inc: { starts: 1 }, $push: { started: { $each: [id], $slice: -KEPT_STARTS } } };
    const record = await records
      .findOneAndUpdate({ _id: KEY_RECORD_ID }, counted, { returnDocument: 'after' })
      .lean<KeyRecord>();
    if (record) this.#own = { id, count: record.starts ?? 0 };
    return record;
  }

  /** Whether a record is of before this start, or of before it and of others since. */
  isForgottenBy({ starts = 0, started = [] }: KeyRecord): boolean {
    if (!this.#own) return false;
    const { id, count } = this.#own;
    const later = starts - count;
    return later < 0 || (later < started.length && started.at(-1 - later) !== id);
  }
}
