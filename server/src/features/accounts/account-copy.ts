import { foldName } from '@parlor/shared';
import { mongo } from 'mongoose';
import type { MappedCollection } from '../../database/collection-data.ts';
import { ParlorError } from '../../platform/errors.ts';
import { placeOf, type Secrets } from '../../platform/secrets.ts';
import { accountObjects } from './account-objects.ts';
import type { Account, AccountModel } from './accounts.model.ts';

const { EJSON } = mongo.BSON;

/** What the first line of a file says. */
export const COPY = { format: 'parlor-account', version: 1 } as const;

/** An object as a line of the file holds it. */
export type Document = Record<string, unknown> & { _id: string };

export interface CopyParts {
  models: { accounts: AccountModel };
  collections: readonly MappedCollection[];
  secrets: Secrets;
}

/** One that JSON has written, whatever its fields are called; a database's own types are none. */
export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

type WithAccount = { _id: string; account?: string };

const openedField = (document: Document, name: string, value: unknown, secrets: Secrets): unknown =>
  name.endsWith('_sealed') ? secrets.decrypt(String(value), placeOf(document as WithAccount, name)) : value;

/** Opens what only this server's SECRET_KEY opens, and leaves out what is made anew: `*_fingerprint`, events. */
const opened = (document: Document, { secrets }: CopyParts): Document =>
  Object.fromEntries(
    Object.entries(document)
      .filter(([name]) => !name.endsWith('_fingerprint') && name !== 'events')
      .map(([name, value]) => [name, openedField(document, name, value, secrets)]),
  ) as Document;

/** What is made anew of the others, whatever a file says of it. */
export const isDerived = (name: string): boolean =>
  name === 'events' || name.endsWith('_fingerprint') || name === 'username_key' || name === 'email_key';

/** The opposite of `opened`, by this server's SECRET_KEY. */
export const sealed = (
  document: Document,
  { secrets }: CopyParts,
  hasField: (name: string) => boolean,
): Document => {
  const result = Object.fromEntries(
    Object.entries(document).filter(([name]) => !isDerived(name)),
  ) as Document;
  for (const [name, value] of Object.entries(result)) {
    if (!name.endsWith('_sealed')) continue;
    result[name] = secrets.encrypt(String(value), placeOf(document as WithAccount, name));
    const fingerprint = name.replace(/_sealed$/, '_fingerprint');
    if (hasField(fingerprint)) result[fingerprint] = secrets.fingerprint('token-fingerprint', String(value));
  }
  // Who has not accepted an invitation has neither, also where the address is known.
  if (hasField('username_key') && typeof document.username === 'string') {
    result.username_key = foldName(document.username);
    result.email_key = foldName(String(document.email));
  }
  return result;
};

/**
 * Everything of an account as JSON lines (docs/contract.md#operation): what it is, its objects with their
 * ids, and the account itself last. The lines hold its secrets in the clear, so that another server can read
 * them in.
 * @param announce as `accountObjects` needs it, beside a running server
 * @throws ParlorError `conflict`, without that line, when the account is being deleted by then
 */
export async function* exportAccount(
  parts: CopyParts,
  account: Account,
  announce?: () => Promise<void>,
): AsyncGenerator<string> {
  yield JSON.stringify({ ...COPY, username: account.username });
  for await (const { name, document } of accountObjects(parts.collections, account._id, announce)) {
    yield EJSON.stringify({ [name]: opened(document, parts) });
  }
  // Without its last line nothing reads it in: what is left of an account that is being deleted is no copy of it.
  if (!(await parts.models.accounts.exists({ _id: account._id, deleted_at: null, emptied_at: null })))
    throw new ParlorError('conflict', `The account ${account.username} is being deleted.`);
  yield EJSON.stringify({ account: opened({ ...account } as unknown as Document, parts) });
}
