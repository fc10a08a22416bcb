import type { Secrets } from '../../platform/secrets.ts';

const EPOCH_BYTES = 8;
const BLOCK_BYTES = 16;

/** A block in base64url. */
const SEALED_ID = /^[\w-]{22}$/;

/**
 * What clients know a place in the log by: the same on all servers, and sealed, since places count what happens in all accounts
 * together, which is nobody's to know.
 */
export class EventIds {
  readonly #secrets: Pick<Secrets, 'encryptBlock' | 'decryptBlock'>;

  constructor(secrets: Pick<Secrets, 'encryptBlock' | 'decryptBlock'>) {
    this.#secrets = secrets;
  }

  /** @param epoch of the log, of 8 characters */
  seal(epoch: string, place: number): string {
    const plain = Buffer.alloc(BLOCK_BYTES);
    plain.write(epoch, 'latin1');
    plain.writeBigUInt64BE(BigInt(place), EPOCH_BYTES);
    return this.#secrets.encryptBlock('event-id', plain).toString('base64url');
  }

  /** The place in the log with this epoch; undefined for what is none, such as an id of an older version. */
  open(epoch: string, id: string): number | undefined {
    if (!SEALED_ID.test(id)) return undefined;
    const sealed = Buffer.from(id, 'base64url');
    const plain = this.#secrets
      .decryptBlock('event-id', sealed)
      .find((bytes) => bytes.toString('latin1', 0, EPOCH_BYTES) === epoch);
    const place = plain && Number(plain.readBigUInt64BE(EPOCH_BYTES));
    return Number.isSafeInteger(place) ? place : undefined;
  }
}
