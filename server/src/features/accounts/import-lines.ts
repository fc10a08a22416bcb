import { isUuid } from '@parlor/shared';
import { mongo } from 'mongoose';
import type { CopyParts, Document } from './account-copy.ts';

const { EJSON } = mongo.BSON;

/** The text can't be read in; it says why, and at which line. */
export class ImportError extends Error {
  override name = 'ImportError';
}

/** What nobody could sign in to, or name, is none. */
export const isAccount = (value: unknown): value is Document => {
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
export const holdsAccount = (parts: CopyParts, kind: string): boolean =>
  ownerField(parts, kind) !== undefined;

/** What a document says of whose it is. */
export const ownerIn = (parts: CopyParts, kind: string, document: Document): unknown =>
  document[ownerField(parts, kind) ?? 'account'];

/** What a line holds at most: a graph may have 27 000 problems, and nothing else comes near. Each takes time to be read. */
const MAX_VALUES = 30_000;

const [COMMA, QUOTE, BACKSLASH, BRACKET, BRACE] = [0x2c, 0x22, 0x5c, 0x5b, 0x7b];

/** Whether JSON has more values than that, by what stands before each: a comma, or the beginning of a list or an object. */
const hasMoreValues = (json: string, most: number): boolean => {
  if (json.length <= most) return false;
  let count = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (isText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) isText = true;
    else if (code === COMMA || code === BRACKET || code === BRACE) {
      if (++count > most) return true;
    }
  }
  return false;
};

/** The kind of what a line holds, and that. @throws ImportError */
export const readLine = (line: string, number: number): [kind: string, value: unknown] => {
  // Before it is parsed: millions of values would hold the server up for half a minute, and take gigabytes.
  if (hasMoreValues(line, MAX_VALUES))
    throw new ImportError(`line ${number}: more than ${MAX_VALUES} values`);
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
