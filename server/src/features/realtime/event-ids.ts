import { createHash } from 'node:crypto';
import type { Secrets } from '../../platform/secrets.ts';

/** A sealed id: which log it is of, the place in that, and which event stands there. */
const LOG_BYTES = 4;
const PLACE_BYTES = 6;
const EVENT_BYTES = 6;
const BLOCK_BYTES = LOG_BYTES + PLACE_BYTES + EVENT_BYTES;

/** A block in base64url. */
const SEALED_ID = /^[\w-]{22}$/;

/** What an id says. */
export interface OpenedId {
  place: number;
  /** Whether the id was given for this event. */
  isOf(event: string): boolean;
}

const shortHash = (text: string, bytes: number): Buffer =>
  createHash('sha256').update(text).digest().subarray(0, bytes);

/**
 * What clients know an event in the log by: the same on all servers, and sealed, since places count what happens in all accounts
 * together, which is nobody's to know. It names the event besides its place: after going back to a backup, by whatever means,
 * the same places are given to other events.
 */
export class EventIds {
  readonly #secrets: Pick<Secrets, 'encryptBlock' | 'decryptBlock'>;

  constructor(secrets: Pick<Secrets, 'encryptBlock' | 'decryptBlock'>) {
    this.#secrets = secrets;
  }

  /** @param event what stands at that place; empty where that is not known */
  seal(epoch: string, place: number, event: string): string {
    const plain = Buffer.alloc(BLOCK_BYTES);
    shortHash(epoch, LOG_BYTES).copy(plain);
    plain.writeUIntBE(place, LOG_BYTES, PLACE_BYTES);
    shortHash(event, EVENT_BYTES).copy(plain, LOG_BYTES + PLACE_BYTES);
    return this.#secrets.encryptBlock('event-id', plain).toString('base64url');
  }

  /** What an id of the log with this epoch says; undefined for what is none, such as an id of an older version. */
  open(epoch: string, id: string): OpenedId | undefined {
    if (!SEALED_ID.test(id)) return undefined;
    const log = shortHash(epoch, LOG_BYTES);
    const plain = this.#secrets
      .decryptBlock('event-id', Buffer.from(id, 'base64url'))
      .find((bytes) => bytes.subarray(0, LOG_BYTES).equals(log));
    return (
      plain && {
        place: plain.readUIntBE(LOG_BYTES, PLACE_BYTES),
        isOf: (event) => plain.subarray(LOG_BYTES + PLACE_BYTES).equals(shortHash(event, EVENT_BYTES)),
      }
    );
  }
}
