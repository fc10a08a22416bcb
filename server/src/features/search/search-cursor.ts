import { placeOf, type Secrets } from '../../platform/secrets.ts';
import { isLineKey } from './lines.ts';

/**
 * Where the next page of a search begins, as its caller gets it. The place may be that of an object which the caller does not
 * see, whose time and uuid nobody is to read out of it.
 */
export class SearchCursor {
  readonly #secrets: Secrets;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** @param key of the line that the page before ended with */
  seal(account: string, key: string): string {
    return this.#secrets.encrypt(Buffer.from(key, 'hex').toString('base64url'), placeIn(account));
  }

  /** The key; undefined for what was not sealed here, or for another account. */
  open(account: string, cursor: string): string | undefined {
    try {
      const text = this.#secrets.decrypt(cursor, placeIn(account));
      const key = Buffer.from(text, 'base64url').toString('hex');
      return isLineKey(key) ? key : undefined;
    } catch {
      return undefined;
    }
  }
}

const placeIn = (account: string) => placeOf({ _id: 'search', account }, 'cursor');
