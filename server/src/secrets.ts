import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** What a key is for; each purpose has a key of its own, so that one can never stand in for another. */
type Purpose =
  | 'token-fingerprint'
  | 'encryption'
  | 'visitor-session'
  | 'conversation-client'
  | 'invitation'
  | 'known-address'
  | 'idempotency';

/** The keys that are derived from one SECRET_KEY. */
class DerivedKeys {
  readonly #keys = new Map<Purpose, Buffer>();
  readonly #secretKey: string;

  constructor(secretKey: string) {
    this.#secretKey = secretKey;
  }

  of(purpose: Purpose): Buffer {
    let key = this.#keys.get(purpose);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', this.#secretKey, '', `parlor:${purpose}`, 32));
      this.#keys.set(purpose, key);
    }
    return key;
  }
}

/** Everything that is derived from SECRET_KEY (contract 2: a copy of the database alone yields no token). */
export class Secrets {
  /** The one that signs and seals first; what another has signed or sealed is good, too. */
  readonly #keys: readonly [DerivedKeys, ...DerivedKeys[]];

  /** @param previous the SECRET_KEY before or after this one, while servers change from one to the other */
  constructor(secretKey: string, previous = '') {
    const present = new DerivedKeys(secretKey);
    this.#keys = previous === '' ? [present] : [present, new DerivedKeys(previous)];
  }

  /** A keyed hash in hexadecimal, by which a secret is found without being stored. */
  fingerprint(purpose: Purpose, value: string): string {
    return fingerprintBy(this.#keys[0], purpose, value);
  }

  /** What a secret may have been stored under: by the present key first, then by the other one. */
  fingerprints(purpose: Purpose, value: string): string[] {
    return this.#keys.map((keys) => fingerprintBy(keys, purpose, value));
  }

  /** Whether `signature` is the fingerprint of `value` by one of the keys, in constant time. */
  verify(purpose: Purpose, value: string, signature: string): boolean {
    const given = Buffer.from(signature);
    return this.fingerprints(purpose, value).some((fingerprint) => {
      const expected = Buffer.from(fingerprint);
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
  }

  /** AES-256-GCM; the text form is `v1.<nonce>.<ciphertext and tag>` in base64url. */
  encrypt(plain: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#keys[0].of('encryption'), nonce);
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `v1.${nonce.toString('base64url')}.${sealed.toString('base64url')}`;
  }

  /** @throws Error when the text was changed or another SECRET_KEY sealed it. */
  decrypt(text: string): string {
    const [version, nonce, sealed] = text.split('.');
    if (version !== 'v1' || !nonce || !sealed) throw new Error('not a sealed text of version 1');
    const bytes = Buffer.from(sealed, 'base64url');
    const [present, ...others] = this.#keys;
    try {
      return open(present, nonce, bytes);
    } catch (error) {
      if (!others[0]) throw error;
      return open(others[0], nonce, bytes);
    }
  }
}

const fingerprintBy = (keys: DerivedKeys, purpose: Purpose, value: string): string =>
  createHmac('sha256', keys.of(purpose)).update(value).digest('hex');

const open = (keys: DerivedKeys, nonce: string, sealed: Buffer): string => {
  const decipher = createDecipheriv('aes-256-gcm', keys.of('encryption'), Buffer.from(nonce, 'base64url'));
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]).toString('utf8');
};
