import { isUuid } from '@parlor/shared';
import { mongo } from 'mongoose';
import type { MappedCollection } from '../../database/collection-data.ts';
import { duplicateFields } from '../../database/duplicate.ts';
import { placeOf, type Secrets } from '../../platform/secrets.ts';
import { type AccountCollection, accountCollections, READ_AT_ONCE } from './account-data.ts';
import type { Account, AccountModel } from './accounts.model.ts';

const { EJSON } = mongo.BSON;

const FORMAT = 'parlor-account';
const VERSION = 1;

/** How many documents are written at a time. */
const BATCH = 500;

type Document = Record<string, unknown> & { _id: string };

interface Parts {
  models: { accounts: AccountModel };
  collections: readonly MappedCollection[];
  secrets: Secrets;
}

/** What makes findable what an account brings. */
interface Earlier {
  request(account: string): Promise<void>;
}

/** Accounts that were deleted here a moment ago, of which something may be left. */
interface Deleted {
  finish(account: string): Promise<void>;
}

/** The text can't be read in; it says why, and at which line. */
export class ImportError extends Error {
  override name = 'ImportError';
}

type WithAccount = { _id: string; account?: string };

const openedField = (document: Document, name: string, value: unknown, secrets: Secrets): unknown =>
  name.endsWith('_sealed') ? secrets.decrypt(String(value), placeOf(document as WithAccount, name)) : value;

/** Opens what only this server's SECRET_KEY opens, and leaves out what is made anew: `*_fingerprint`, events. */
const opened = (document: Document, { secrets }: Parts): Document =>
  Object.fromEntries(
    Object.entries(document)
      .filter(([name]) => !name.endsWith('_fingerprint') && name !== 'events')
      .map(([name, value]) => [name, openedField(document, name, value, secrets)]),
  ) as Document;

/** The opposite of `opened`, by this server's SECRET_KEY. */
const sealed = (document: Document, { secrets }: Parts, hasField: (name: string) => boolean): Document => {
  const result: Document = { ...document };
  for (const [name, value] of Object.entries(document)) {
    if (!name.endsWith('_sealed')) continue;
    result[name] = secrets.encrypt(String(value), placeOf(document as WithAccount, name));
    const fingerprint = name.replace(/_sealed$/, '_fingerprint');
    if (hasField(fingerprint)) result[fingerprint] = secrets.fingerprint('token-fingerprint', String(value));
  }
  return result;
};

/**
 * Everything of an account as JSON lines (docs/contract.md#operation): what it is, its objects with their
 * ids, and the account itself last. The lines hold its secrets in the clear, so that another server can read
 * them in.
 */
export async function* exportAccount(parts: Parts, account: Account): AsyncGenerator<string> {
  yield JSON.stringify({ format: FORMAT, version: VERSION, username: account.username });
  for (const { name, model, filter, sort } of await accountCollections(parts.collections, account._id)) {
    for await (const document of model.find(filter).sort(sort).lean().cursor({ batchSize: READ_AT_ONCE })) {
      yield EJSON.stringify({ [name]: opened(document as Document, parts) });
    }
  }
  yield EJSON.stringify({ account: opened({ ...account } as unknown as Document, parts) });
}

/**
 * Reads in what exportAccount wrote. The account comes last, so that nobody sees half of it; an import that was
 * broken off is finished by doing it again.
 * @returns the account's username
 * @throws ImportError
 */
export const importAccount = async (
  parts: Parts & { earlierObjects: Earlier; accountDeletion: Deleted },
  lines: AsyncIterable<string>,
  progress: (count: number) => void = () => undefined,
): Promise<string> => {
  const { models } = parts;
  let count = 0;
  let accountId: string | undefined;
  let collections: Map<string, AccountCollection> | undefined;
  let batch: Document[] = [];
  let batchOf = '';

  const flush = async (): Promise<void> => {
    const model = collections?.get(batchOf)?.model;
    if (model && batch.length > 0) await insertMissing(model, batch);
    batch = [];
  };

  for await (const line of lines) {
    count++;
    if (line.trim() === '' && count > 1) continue;
    const [kind, value] = readLine(line, count);
    if (count === 1) {
      if (kind !== 'format' || value !== FORMAT) throw new ImportError('line 1: not an export of an account');
      const { version } = JSON.parse(line) as { version?: unknown };
      if (version !== VERSION) throw new ImportError('line 1: an export of another version');
      collections = new Map((await accountCollections(parts.collections, '')).map((one) => [one.name, one]));
      continue;
    }
    const document = value as Document;
    if (kind === 'account') {
      if (!isAccount(document)) throw new ImportError(`line ${count}: not an account`);
      await flush();
      if (accountId === undefined) await parts.accountDeletion.finish(document._id);
      // Before the account is there: whoever dies in between has asked.
      await parts.earlierObjects.request(document._id);
      const hasField = (name: string) => models.accounts.schema.path(name) !== undefined;
      return insertAccount(parts, sealed(document, parts, hasField) as unknown as Account, accountId);
    }
    const collection = collections?.get(kind);
    if (!collection || typeof document?._id !== 'string') {
      throw new ImportError(`line ${count}: unknown kind "${kind.slice(0, 40)}"`);
    }
    // One file holds one account's objects: none of another can be smuggled in.
    if (typeof document.account === 'string' && accountId === undefined) {
      accountId = document.account;
      await parts.accountDeletion.finish(accountId);
    }
    const isOwn =
      document.account === undefined ? !holdsAccount(parts, kind) : document.account === accountId;
    if (!isOwn) throw new ImportError(`line ${count}: an object of another account`);
    if (kind !== batchOf || batch.length >= BATCH) await flush();
    batchOf = kind;
    batch.push(sealed(document, parts, (name) => collection.model.schema.path(name) !== undefined));
    progress(count);
  }
  throw new ImportError(`line ${count + 1}: the end is missing, which is the account itself`);
};

/** What nobody could sign in to, or name, is none. */
const isAccount = (value: unknown): boolean => {
  const { _id, username, email, token_sealed } = (value ?? {}) as Record<string, unknown>;
  return (
    [_id, username, email, token_sealed].every((text) => typeof text === 'string') &&
    isUuid(String(_id)) &&
    username !== ''
  );
};

/** Whether the documents of a collection say which account has them; those of others say it by what they refer to. */
const holdsAccount = ({ collections }: Parts, kind: string): boolean => {
  const owner = collections.find(({ name }) => name === kind)?.data.owner;
  return typeof owner === 'object' && owner.by === 'account';
};

const readLine = (line: string, number: number): [kind: string, value: unknown] => {
  try {
    const [first] = Object.entries(EJSON.parse(line) as object);
    if (first) return first;
  } catch {
    // Said below, for an empty object as well.
  }
  throw new ImportError(
    number === 1 ? 'line 1: not an export of an account' : `line ${number}: not a JSON object of one entry`,
  );
};

/** @throws ImportError where a field is of another type than it has to be */
const refuseUnfit = (error: unknown): void => {
  const { name, errors } = error as { name?: string; errors?: object };
  if (name !== 'ValidationError') return;
  throw new ImportError(`an object with a field of another type: ${Object.keys(errors ?? {}).join(', ')}`);
};

/** Documents that are there already were read in before: an import is repeated, or nothing of it is new. */
const insertMissing = async (model: AccountCollection['model'], documents: Document[]): Promise<void> => {
  const known = await model.find({ _id: { $in: documents.map(({ _id }) => _id) } }, { _id: 1 }).lean();
  const ids = new Set(known.map(({ _id }) => String(_id)));
  const missing = documents.filter(({ _id }) => !ids.has(_id));
  if (missing.length === 0) return;
  await model.insertMany(missing).catch((error) => {
    refuseUnfit(error);
    const fields = duplicateFields(error);
    if (!fields) throw error;
    throw new ImportError(
      `another object with this ${fields.join(', ').replace('_key', '')} is here already`,
    );
  });
};

const insertAccount = async (
  { models }: Parts,
  account: Account,
  owner: string | undefined,
): Promise<string> => {
  if (owner !== undefined && account._id !== owner) throw new ImportError('the account is another one');
  try {
    // What was a trial's account is somebody's own on the server that takes it in.
    const { is_demo: _, deleted_at, emptied_at, ...own } = account;
    await models.accounts.insertOne(own);
  } catch (error) {
    refuseUnfit(error);
    const fields = duplicateFields(error);
    if (!fields) throw error;
    throw new ImportError(`an account with this ${fields.join(', ').replace('_key', '')} is here already`);
  }
  return account.username;
};
