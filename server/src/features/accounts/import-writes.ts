import { toldToOperator } from '../../database/database-error.ts';
import { duplicateFields } from '../../database/duplicate.ts';
import { refusalText } from '../../database/refused.ts';
import { ParlorError } from '../../platform/errors.ts';
import { type CopyParts, type Document, sealed } from './account-copy.ts';
import type { AccountCollection } from './account-data.ts';
import type { Account } from './accounts.model.ts';
import { ConcurrentImport } from './import-lease.ts';
import { ImportError } from './import-lines.ts';
import type { UniqueNames } from './unique-names.ts';

/** What writing needs besides. */
export interface WriteParts extends CopyParts {
  names: Pick<UniqueNames, 'take'>;
}

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

/** The unique index that a write ran into; of a bulk write its message alone says it. */
const DUPLICATE_INDEX = /\bindex: (\S+) dup key: /;

/** The fields of an index by its name, as `account_1_label_1`. */
const fieldsOfIndex = (name: string): string[] => name.split(/_-?1(?:_|$)/).filter((field) => field !== '');

/** @throws ImportError where `error` says that somebody else has what is unique */
const refuseTaken = (error: unknown, what: string): never => {
  refuseUnfit(error);
  if (error instanceof ParlorError && error.code === 'invalid')
    throw isHere(what, Object.keys(error.fields ?? {}));
  const fields = duplicateFields(error);
  if (!fields) throw error;
  const [, index = ''] = DUPLICATE_INDEX.exec(String(error)) ?? [];
  // What has an id of its own was not here a moment ago.
  if (index === '_id_' && what !== AN_ACCOUNT) throw new ConcurrentImport();
  const named = fields.length > 0 ? fields : fieldsOfIndex(index);
  // Nobody else's is looked at.
  throw isHere(
    what,
    named.filter((field) => field !== 'account'),
  );
};

/** What is said of an object that the database did not take. */
export const refusedByDatabase = (error: unknown): unknown => {
  if (toldToOperator(error) !== undefined) return error;
  return new ImportError(`the database did not take what it holds: ${refusalText(error)}`);
};

const AN_ACCOUNT = 'an account';

const isHere = (what: string, fields: readonly string[]): ImportError =>
  new ImportError(`${what} with this ${fields.join(', ').replaceAll('_key', '')} is here already`);

/** Somebody who can sign in, whose name and address nobody else may have, in whichever collection that is. */
const isNamed = <T extends object>(one: T): one is T & Record<'username_key' | 'email_key', string> =>
  'username_key' in one;

/** Documents that are there already were read in before: a file may hold one twice. */
export const insertMissing = async (
  model: AccountCollection['model'],
  documents: Document[],
  { names }: Pick<WriteParts, 'names'>,
): Promise<void> => {
  const known = await model.find({ _id: { $in: documents.map(({ _id }) => _id) } }, { _id: 1 }).lean();
  const ids = new Set(known.map(({ _id }) => String(_id)));
  const once = new Map(documents.map((one) => [one._id, one]));
  const missing = [...once.values()].filter(({ _id }) => !ids.has(_id));
  const refuse = (error: unknown) => refuseTaken(error, 'another object');
  const [named, others] = [missing.filter(isNamed), missing.filter((one) => !isNamed(one))];
  for (const one of named) await names.take(one, () => model.insertMany([one])).catch(refuse);
  if (others.length > 0) await model.insertMany(others).catch(refuse);
};

/** @returns its username @throws ImportError */
export const insertAccount = async (parts: WriteParts, document: Document): Promise<string> => {
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
