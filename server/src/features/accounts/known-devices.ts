import { randomLetters } from '../../platform/ids.ts';
import type { Secrets } from '../../platform/secrets.ts';

/** Enough that nobody guesses one. */
const ID_LETTERS = 22;
const TAG_LENGTH = 16;

/** What a browser has shown; whether its password is still the same is to be seen. */
export interface ShownDevice {
  id: string;
  /** What it is to be good for; undefined for a member without a password. */
  isFor(password: string | undefined): boolean;
}

/**
 * Browsers that a member has signed in with, by what is signed for them: nothing of them is stored. It names nobody and opens
 * nothing; it is good for that username alone, and for as long as its password is the same.
 */
export class KnownDevices {
  readonly #secrets: Pick<Secrets, 'fingerprint' | 'fingerprints' | 'verify'>;

  constructor(secrets: Pick<Secrets, 'fingerprint' | 'fingerprints' | 'verify'>) {
    this.#secrets = secrets;
  }

  /** @param password as it is stored */
  issue(username: string, password: string): string {
    const id = randomLetters(ID_LETTERS);
    const tag = this.#secrets.fingerprint('known-device', password).slice(0, TAG_LENGTH);
    return `${id}.${tag}.${this.#secrets.fingerprint('known-device', signed(username, id, tag))}`;
  }

  /** @returns undefined for what was not issued for that username */
  read(username: string, shown: string): ShownDevice | undefined {
    const [id = '', tag = '', signature = ''] = shown.split('.');
    if (!this.#secrets.verify('known-device', signed(username, id, tag), signature)) return undefined;
    const isFor = (password: string | undefined) =>
      password !== undefined &&
      this.#secrets.fingerprints('known-device', password).some((one) => one.slice(0, TAG_LENGTH) === tag);
    return { id, isFor };
  }
}

const signed = (...parts: string[]): string => JSON.stringify(parts);
