import { isUuid } from '@parlor/shared';
import { mongo } from 'mongoose';
import { duplicateFields } from '../../database/duplicate.ts';
import { ParlorError } from '../../platform/errors.ts';
import { COPY, type CopyParts, type Document, sealed } from './account-copy.ts';
import { type AccountCollection, accountCollections } from './account-data.ts';
import type { Account } from './accounts.model.ts';
import { ForeignObjects } from './foreign-objects.ts';
import type { UniqueNames } from './unique-names.ts';

const { EJSON } = mongo.BSON;

/** How many documents are written at a time. */
const BATCH = 500;

/** What an import needs besides. */
interface Importing extends CopyParts {
  earlierObjects: Earlier;
  accountDeletion: Deleted;
  names: Pick<UniqueNames, 'take'>;
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

/**
 * Reads in what exportAccount wrote. The account comes last, so that nobody sees half of it; an import that was
 * broken off is finished by doing it again. Nothing of it joins what is here already, of this account or another one.
 * @returns the account's username
 * @throws ImportError
 */
export const importAccount = async (
  parts: Importing,
  lines: AsyncIterable<string>,
  progress: (count: number) => void = () => undefined,
): Promise<string> => {
  let count = 0;
  let collections = new Map<string, AccountCollection>();
  let others: ForeignObjects | undefined;
  let accountId: string | undefined;
  let batch: Document[] = [];
  let batchOf = '';

  const foreignTo = (account: string): ForeignObjects => {
    const models = [...collections.values()].map(({ model }) => model);
    return new ForeignObjects(account, parts.models.accounts, models);
  };

  const begin = async (account: string): Promise<void> => {
    accountId = account;
    await parts.accountDeletion.finish(account);
    if (await parts.models.accounts.exists({ _id: account })) {
      throw new ImportError('the account is here already');
    }
    others = foreignTo(account);
  };

  const checkOwn = async (documents: Document[]): Promise<void> => {
    const foreign = await others?.namedIn(documents);
    if (foreign !== undefined)
      throw new ImportError(`an object names ${foreign}, which is another account's`);
  };

  const flush = async (): Promise<void> => {
    const model = collections.get(batchOf)?.model;
    if (model && batch.length > 0) {
      await checkOwn(batch);
      await insertMissing(model, batch, parts);
    }
    batch = [];
  };

  for await (const line of lines) {
    count++;
    if (line.trim() === '' && count > 1) continue;
    const [kind, value] = readLine(line, count);
    if (count === 1) {
      if (kind !== 'format' || value !== COPY.format)
        throw new ImportError('line 1: not an export of an account');
      const { version } = JSON.parse(line) as { version?: unknown };
      if (version !== COPY.version) throw new ImportError('line 1: an export of another version');
      collections = new Map((await accountCollections(parts.collections, '')).map((one) => [one.name, one]));
      // Until it is known whose file it is, all are others.
      others = foreignTo('');
      continue;
    }
    const document = value as Document;
    if (kind === 'account') {
      if (!isAccount(document)) throw new ImportError(`line ${count}: not an account`);
      if (accountId === undefined) await begin(document._id);
      if (accountId !== document._id) throw new ImportError('the account is another one');
      await flush();
      await checkOwn([document]);
      // Before the account is there: whoever dies in between has asked.
      await parts.earlierObjects.request(document._id);
      return insertAccount(parts, document);
    }
    const collection = collections.get(kind);
    if (!collection || typeof document?._id !== 'string') {
      throw new ImportError(`line ${count}: unknown kind "${kind.slice(0, 40)}"`);
    }
    // One file holds one account's objects: none of another can be smuggled in.
    const owner = ownerIn(parts, kind, document);
    if (typeof owner === 'string' && accountId === undefined) await begin(owner);
    const isOwn = owner === undefined ? !holdsAccount(parts, kind) : owner === accountId;
    if (!isOwn) throw new ImportError(`line ${count}: an object of another account`);
    const unfit = unfitField(collection, document);
    if (unfit !== undefined) throw new ImportError(`line ${count}: an object without a proper ${unfit}`);
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

const ownerField = ({ collections }: CopyParts, kind: string): string | undefined => {
  const owner = collections.find(({ name }) => name === kind)?.data.owner;
  return typeof owner === 'object' && !('via' in owner) ? owner.by : undefined;
};

/** Whether the documents of a collection say which account has them; those of others say it by what they refer to. */
const holdsAccount = (parts: CopyParts, kind: string): boolean => ownerField(parts, kind) !== undefined;

/** What a document says of whose it is. */
const ownerIn = (parts: CopyParts, kind: string, document: Document): unknown =>
  document[ownerField(parts, kind) ?? 'account'];

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

/**
 * The field of an object that would hold up whoever goes through all accounts' objects: a time that lists are ordered by and
 * that it has not, or null where something is added to a list. Other types are told by the schema.
 */
const unfitField = (
  { model: { schema }, sort }: AccountCollection,
  document: Document,
): string | undefined => {
  const timeless = Object.keys(sort).find(
    (name) => schema.path(name)?.instance === 'Date' && !isTime(document[name]),
  );
  return (
    timeless ?? Object.keys(document).find((name) => document[name] === null && isList(schema.path(name)))
  );
};

const isTime = (value: unknown): boolean => value instanceof Date && !Number.isNaN(value.getTime());
const isList = (type: { instance: string } | undefined): boolean => type?.instance === 'Array';

/** What the schema says of a field of another type than it has to be. */
const OTHER_TYPE: ReadonlySet<unknown> = new Set(['ValidationError', 'ObjectExpectedError', 'CastError']);

/** @throws ImportError where a field is of another type than it has to be */
const refuseUnfit = (error: unknown): void => {
  const { name, errors, path } = error as { name?: string; errors?: object; path?: string };
  if (!OTHER_TYPE.has(name)) return;
  throw new ImportError(
    `an object with a field of another type: ${Object.keys(errors ?? { [path ?? '']: 1 }).join(', ')}`,
  );
};

/** The first field of the unique index that a write ran into; of a bulk write its message alone says it. */
const DUPLICATE_FIELD = /\bdup key: \{ (\w+):/;

/** @throws ImportError where `error` says that somebody else has what is unique */
const refuseTaken = (error: unknown, what: string): never => {
  refuseUnfit(error);
  if (error instanceof ParlorError && error.code === 'invalid')
    throw isHere(what, Object.keys(error.fields ?? {}));
  const fields = duplicateFields(error);
  if (!fields) throw error;
  const [, named = ''] = DUPLICATE_FIELD.exec(String(error)) ?? [];
  // What has an id of its own was not here a moment ago.
  if (named === '_id' && what !== AN_ACCOUNT) {
    throw new ImportError('the account is read in by another import at the same time');
  }
  throw isHere(what, fields.length > 0 ? fields : [named]);
};

const AN_ACCOUNT = 'an account';

const isHere = (what: string, fields: readonly string[]): ImportError =>
  new ImportError(`${what} with this ${fields.join(', ').replaceAll('_key', '')} is here already`);

/** Somebody who can sign in, whose name and address nobody else may have, in whichever collection that is. */
const isNamed = <T extends object>(one: T): one is T & Record<'username_key' | 'email_key', string> =>
  'username_key' in one;

/** Documents that are there already were read in before: an import is repeated, or nothing of it is new. */
const insertMissing = async (
  model: AccountCollection['model'],
  documents: Document[],
  { names }: Pick<Importing, 'names'>,
): Promise<void> => {
  const known = await model.find({ _id: { $in: documents.map(({ _id }) => _id) } }, { _id: 1 }).lean();
  const ids = new Set(known.map(({ _id }) => String(_id)));
  const missing = documents.filter(({ _id }) => !ids.has(_id));
  const refuse = (error: unknown) => refuseTaken(error, 'another object');
  const [named, others] = [missing.filter(isNamed), missing.filter((one) => !isNamed(one))];
  for (const one of named) await names.take(one, () => model.insertMany([one])).catch(refuse);
  if (others.length > 0) await model.insertMany(others).catch(refuse);
};

const insertAccount = async (parts: Importing, document: Document): Promise<string> => {
  const { accounts } = parts.models;
  const hasField = (name: string) => accounts.schema.path(name) !== undefined;
  // What was a trial's account is somebody's own on the server that takes it in.
  const {
    is_demo: _,
    deleted_at,
    emptied_at,
    ...own
  } = sealed(document, parts, hasField) as unknown as Account;
  await parts.names.take(own, () => accounts.insertOne(own)).catch((error) => refuseTaken(error, AN_ACCOUNT));
  return own.username;
};
