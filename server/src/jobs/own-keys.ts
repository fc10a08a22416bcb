import type { Logger } from 'pino';
import type { KeyRecordModel } from '../database/key-record.ts';
import { KEY_RECORD_ID, type KeyRecord } from '../database/recorded-keys.ts';
import { ParlorError } from '../platform/errors.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { HeldKeys, StoredSender } from './origin-leases.model.ts';
import { OwnStart } from './own-start.ts';

/** Seconds after which the same request may work: at a server that has the key. */
const RETRY_AFTER_GONE = '5';

/**
 * The keys of this process beside those of the other servers on the database (docs/contract.md#operation): what it writes
 * down of them, which one seals, and whether the database still takes them.
 */
export class OwnKeys {
  readonly #record: KeyRecordModel;
  readonly #secrets: Secrets;
  readonly #log: Logger;
  #start = new OwnStart();
  #isRecorded = false;
  #isSetBack = false;
  /** Why nothing here can be relied on; undefined while all is well. */
  #gone: string | undefined;

  constructor(record: KeyRecordModel, secrets: Secrets, log: Logger) {
    this.#record = record;
    this.#secrets = secrets;
    this.#log = log;
  }

  /** What the other servers are to know. */
  get held(): HeldKeys {
    const { heldFingerprints: keys, sealingFingerprint: sealed_by } = this.#secrets;
    return { keys, sealed_by };
  }

  /**
   * Whether the database takes the key no more that seals here, so that nothing here opens what others seal, or is another one
   * than at the start, or an earlier state of it.
   */
  get isGone(): boolean {
    return this.#gone !== undefined;
  }

  /** Chooses the key that seals by those of the others; what an older version has written says none. */
  learn(others: readonly Pick<StoredSender, 'keys'>[]): void {
    const before = this.#secrets.sealingFingerprint;
    this.#secrets.sealFor(others.flatMap(({ keys = [] }) => (keys.length > 0 ? [keys] : [])));
    const now = this.#secrets.sealingFingerprint;
    if (now === before) return;
    const isWaiting = now !== this.#secrets.keyFingerprint;
    this.#log.info(
      { key: now },
      isWaiting
        ? 'SECRET_KEY_PREVIOUS seals as long as another server has not SECRET_KEY as well'
        : 'every server has SECRET_KEY: it seals from now on',
    );
  }

  /** Looks whether the database still takes the key that seals here; the log says once when it does no more. */
  async check(): Promise<void> {
    const record = await this.#read();
    const own = this.#secrets.sealingFingerprint;
    const isTaken = record === null || record.fingerprints.includes(own);
    if (record && this.#start.isForgottenBy(record)) this.setBack();
    // Each start writes it down before all else: one that was emptied meanwhile has no indexes either.
    const isEmptied = record === null && this.#isRecorded;
    this.#isRecorded ||= record !== null;
    this.#is(this.#isSetBack ? SET_BACK : isEmptied ? EMPTIED : isTaken ? undefined : GONE, record);
  }

  /** This process is another one for the others from now on, and is counted as a start again. */
  startAnew(): void {
    this.#start = new OwnStart();
  }

  /** The database has forgotten what this process has stored in it. What is known here of before is relied on no more. */
  setBack(): void {
    this.#isSetBack = true;
    this.#is(SET_BACK);
  }

  #read(): Promise<KeyRecord | null> {
    if (!this.#start.isCounted) return this.#start.count(this.#record);
    return this.#record.findOne({ _id: KEY_RECORD_ID }).lean<KeyRecord>();
  }

  #is(gone: string | undefined, record?: KeyRecord | null): void {
    if (gone && gone !== this.#gone)
      this.#log.error({ key: this.#secrets.sealingFingerprint, keys: record?.fingerprints }, gone);
    this.#gone = gone;
  }

  /** @throws ParlorError `key_gone` */
  require(): void {
    if (this.#gone === undefined) return;
    throw new ParlorError('key_gone', this.#gone, { headers: { 'Retry-After': RETRY_AFTER_GONE } });
  }
}

const GONE =
  "The SECRET_KEY of this server is the database's no more: it has to be restarted with the present one.";

const EMPTIED =
  'The database is not the one that this server was started on, or was emptied: the server has to be restarted.';

const SET_BACK =
  'The database was set back to an earlier state under this server: the server has to be restarted.';
