import {
  type Cipher,
  createCipheriv,
  createDecipheriv,
  createHmac,
  type Decipher,
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
  | 'known-device'
  | 'asked-from'
  | 'email-confirmation'
  | 'mailbox'
  | 'member-invitation'
  | 'password-reset'
  | 'idempotency'
  | 'event-id'
  | 'key-fingerprint';

/** A sealed text that none of the keys opens. What it belongs to needs another one; everything else goes on. */
export class UnopenedError extends Error {
  override name = 'UnopenedError';

  constructor({ document, field }: SealedPlace) {
    super(
      `${field} of ${document} can't be opened: it is damaged, or sealed by a SECRET_KEY that is not given`,
    );
  }
}

/** The keys that are derived from one SECRET_KEY. */
class DerivedKeys {
  readonly #keys = new Map<Purpose, Buffer>();
  readonly secretKey: string;

  constructor(secretKey: string) {
    this.secretKey = secretKey;
  }

  of(purpose: Purpose): Buffer {
    let key = this.#keys.get(purpose);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', this.secretKey, '', `parlor:${purpose}`, 32));
      this.#keys.set(purpose, key);
    }
    return key;
  }
}

/**
 * Everything that is derived from SECRET_KEY (docs/contract.md#accounts: a copy of the database alone yields
 * no token).
 */
export class Secrets {
  readonly #current: DerivedKeys;
  readonly #previous: DerivedKeys | undefined;
  /** The one that signs and seals; what the other has signed or sealed is good, too. */
  #sealing: DerivedKeys;
  #isSettled = false;

  /** @param previous the SECRET_KEY before or after this one, while servers change from one to the other */
  constructor(secretKey: string, previous = '') {
    this.#current = this.#sealing = new DerivedKeys(secretKey);
    this.#previous = previous === '' ? undefined : new DerivedKeys(previous);
  }

  /** The one that signs and seals first. */
  get #keys(): DerivedKeys[] {
    const other = this.#sealing === this.#current ? this.#previous : this.#current;
    return other ? [this.#sealing, other] : [this.#sealing];
  }

  /** A keyed hash in hexadecimal, by which a secret is found without being stored. */
  fingerprint(purpose: Purpose, value: string): string {
    return fingerprintBy(this.#sealing, purpose, value);
  }

  /** What a secret may have been stored under: by the key that seals first, then by the other one. */
  fingerprints(purpose: Purpose, value: string): string[] {
    return this.#keys.map((keys) => fingerprintBy(keys, purpose, value));
  }

  /**
   * Signs and seals by SECRET_KEY_PREVIOUS as long as another server has that one alone, which would open nothing else; once
   * by SECRET_KEY, always by that: `keys rotate` relies on it.
   * @param others the fingerprints of the keys that each other server has
   */
  sealFor(others: readonly (readonly string[])[]): void {
    const [current, previous] = [this.#current, this.#previous];
    if (!previous || this.#isSettled) return;
    const isEverywhere = (key: DerivedKeys) => others.every((held) => held.includes(keyFingerprintOf(key)));
    this.#sealing = !isEverywhere(current) && isEverywhere(previous) ? previous : current;
    this.#isSettled = this.#sealing === current;
  }

  /** The same keys, and SECRET_KEY seals, whatever other servers have. */
  sealingByCurrent(): Secrets {
    return new Secrets(this.#current.secretKey, this.#previous?.secretKey);
  }

  /** Whether `signature` is the fingerprint of `value` by one of the keys, in constant time. */
  verify(purpose: Purpose, value: string, signature: string): boolean {
    const given = Buffer.from(signature);
    return this.fingerprints(purpose, value).some((fingerprint) => {
      const expected = Buffer.from(fingerprint);
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
  }

  /**
   * AES-256-GCM; the text form is `v2.<nonce>.<ciphertext and tag>` in base64url. Where it is stored is authenticated
   * with it (RFC 5116, 2.1): moved to another owner, document or field, it does not open.
   */
  encrypt(plain: string, place: SealedPlace): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#sealing.of('encryption'), nonce);
    cipher.setAAD(associatedData(place));
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `v2.${nonce.toString('base64url')}.${sealed.toString('base64url')}`;
  }

  /**
   * Also a text of version 1, which was bound to no place.
   * @throws UnopenedError when the text was changed or moved, or another SECRET_KEY sealed it.
   */
  decrypt(text: string, place: SealedPlace): string {
    for (const keys of this.#keys) {
      const plain = opened(keys, text, place);
      if (plain !== undefined) return plain;
    }
    throw new UnopenedError(place);
  }

  /**
   * One block of AES-256: the same one for the same 16 bytes, on every server. Only for what is never the same twice, or may be
   * seen to be; what is in it proves that a key sealed it.
   */
  encryptBlock(purpose: Purpose, plain: Buffer): Buffer {
    return block(createCipheriv('aes-256-ecb', this.#sealing.of(purpose), null), plain);
  }

  /** What each of the keys, the one that seals first, makes of a block. */
  decryptBlock(purpose: Purpose, sealed: Buffer): Buffer[] {
    return this.#keys.map((keys) => block(createDecipheriv('aes-256-ecb', keys.of(purpose), null), sealed));
  }

  /** Whether one of the keys opens a text in its place. */
  opens(text: string, place: SealedPlace): boolean {
    return this.#keys.some((keys) => opened(keys, text, place) !== undefined);
  }

  /** Whether a text is sealed as `encrypt` seals now: in its place, by the same key. */
  isCurrent(text: string, place: SealedPlace): boolean {
    return text.startsWith('v2.') && opened(this.#sealing, text, place) !== undefined;
  }

  /** By what people tell keys apart: 16 hexadecimal characters that say nothing else of the current key. */
  get keyFingerprint(): string {
    return keyFingerprintOf(this.#current);
  }

  /** The same of SECRET_KEY_PREVIOUS; undefined without one. */
  get previousKeyFingerprint(): string | undefined {
    return this.#previous && keyFingerprintOf(this.#previous);
  }

  /** The same of the key that signs and seals now. */
  get sealingFingerprint(): string {
    return keyFingerprintOf(this.#sealing);
  }

  /** The same of all keys that are given, the current one first. */
  get heldFingerprints(): string[] {
    const { keyFingerprint, previousKeyFingerprint: previous } = this;
    return previous === undefined ? [keyFingerprint] : [keyFingerprint, previous];
  }
}

/** By what people tell a SECRET_KEY from others. */
export const keyFingerprint = (secretKey: string): string => keyFingerprintOf(new DerivedKeys(secretKey));

/** Where a sealed text is stored. */
export interface SealedPlace {
  /** The account's id. */
  owner: string;
  document: string;
  field: string;
}

/** The place of a field of a document; an account is its own. */
export const placeOf = (
  { _id, account = _id }: { _id: string; account?: string },
  field: string,
): SealedPlace => ({ owner: account, document: _id, field });

const associatedData = ({ owner, document, field }: SealedPlace): Buffer =>
  Buffer.from(JSON.stringify(['parlor', 'v2', owner, document, field]));

const keyFingerprintOf = (keys: DerivedKeys): string =>
  keys.of('key-fingerprint').toString('hex').slice(0, 16);

const fingerprintBy = (keys: DerivedKeys, purpose: Purpose, value: string): string =>
  createHmac('sha256', keys.of(purpose)).update(value).digest('hex');

const block = (cipher: Cipher | Decipher, bytes: Buffer): Buffer => {
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
};

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The parts of a text that some key may have sealed; undefined for anything else. */
const partsOf = (text: unknown): { version: string; nonce: Buffer; bytes: Buffer } | undefined => {
  const [, version, ...encoded] = (typeof text === 'string' && SEALED_TEXT.exec(text)) || [];
  const [nonce, bytes] = encoded.map((part) => Buffer.from(part, 'base64url'));
  const isWhole = version && nonce?.length === NONCE_BYTES && bytes && bytes.length >= TAG_BYTES;
  return isWhole ? { version, nonce, bytes } : undefined;
};

const SEALED_TEXT = /^(v1|v2)\.([\w-]+)\.([\w-]+)$/;

/** Whether some key may have sealed what is stored as a sealed text. */
export const isSealedText = (stored: unknown): stored is string => partsOf(stored) !== undefined;

const opened = (keys: DerivedKeys, text: string, place: SealedPlace): string | undefined => {
  const parts = partsOf(text);
  if (!parts) return undefined;
  const { version, nonce, bytes } = parts;
  const decipher = createDecipheriv('aes-256-gcm', keys.of('encryption'), nonce, {
    authTagLength: TAG_BYTES,
  });
  if (version === 'v2') decipher.setAAD(associatedData(place));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
};
