import { codePoints, jsonType, MAX_MESSAGE, text } from '@parlor/shared';
import { ParlorError } from '../../platform/errors.ts';

/** Limits of `metadata` (docs/contract.md#agent-api). */
const MAX_KEYS = 50;
const MAX_KEY = 40;
const MAX_VALUE = 500;

const key = text({ min: 1, max: MAX_KEY });
const value = text({ max: MAX_VALUE });
const message = text({ min: 1, max: MAX_MESSAGE });

const malformed = (why: string): ParlorError => new ParlorError('malformed', why);

const asObject = (body: unknown): Record<string, unknown> => {
  if (body === undefined) return {};
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw malformed(`The body must be a JSON object, but is a ${jsonType(body)}.`);
};

/**
 * The `metadata` of a start call, which may have no body at all. Any key is allowed, dots and dollars too.
 * @throws ParlorError `malformed` that says what is wrong
 */
export const readMetadata = (body: unknown): [name: string, value: string][] => {
  const { metadata = {} } = asObject(body);
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    throw malformed(`metadata must be an object of strings, but is a ${jsonType(metadata)}.`);
  }
  const entries = Object.entries(metadata);
  if (entries.length > MAX_KEYS) throw malformed(`metadata may have at most ${MAX_KEYS} keys.`);
  return entries.map(([name, given]) => {
    const shown = JSON.stringify(name.slice(0, MAX_KEY));
    const checkedName = key.safeParse(name);
    if (!checkedName.success) {
      throw malformed(
        codePoints(name) > MAX_KEY
          ? `metadata key ${shown}… is longer than ${MAX_KEY} characters.`
          : `metadata key ${shown}: ${checkedName.error.issues[0]?.message}`,
      );
    }
    const checked = value.safeParse(given);
    if (!checked.success) throw malformed(`metadata ${shown}: ${checked.error.issues[0]?.message}`);
    return [checkedName.data, checked.data];
  });
};

/** @throws ParlorError `malformed` that says what is wrong with `message` */
export const readMessage = (body: unknown): string => {
  const checked = message.safeParse(asObject(body).message);
  if (!checked.success) throw malformed(`message: ${checked.error.issues[0]?.message}`);
  return checked.data;
};
