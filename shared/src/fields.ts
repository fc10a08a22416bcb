import { z } from 'zod';
import { codePoints } from './lengths.ts';
import { MAX_EMAIL, MAX_PHONE } from './limits.ts';

/**
 * The kinds of fields that resources are made of, with the error texts of Django REST framework, which the
 * original service's integrators know (docs/contract.md#conventions). Every schema of a resource is built
 * from these.
 */

const required = 'This field is required.';
const notNull = 'This field may not be null.';

/** Zod's error option: `required` when the field is absent, `notNull` when null, else `wrongType`. */
const typeError =
  (wrongType: string) =>
  (issue: { input?: unknown }): string =>
    issue.input === undefined ? required : issue.input === null ? notNull : wrongType;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** What one code point of a text in NFC can be written with, in UTF-16 code units: U+16126 takes three of two each. */
export const MAX_DECOMPOSED_UNITS = 6;

/** Combining marks that may follow each other (UAX #15, Stream-Safe Text Format). */
export const MAX_MARKS_IN_A_ROW = 30;

const FIRST_MARK = 0x300;
const MARK = /^\p{M}$/u;

/** Whether more combining marks follow each other than any language writes: normalising them takes quadratic time. */
const hasTooManyMarks = (value: string): boolean => {
  let inARow = 0;
  for (const character of value) {
    if ((character.codePointAt(0) ?? 0) < FIRST_MARK || !MARK.test(character)) inARow = 0;
    else if (++inARow > MAX_MARKS_IN_A_ROW) return true;
  }
  return false;
};

/**
 * The nearest text that `text` takes, of one that nobody is there to mend: in NFC, without NUL, with U+FFFD for lone
 * surrogates, and without the combining marks that are too many in a row. It may be longer than it was.
 */
export const storableText = (value: string): string => {
  const plain = wellFormed(value);
  if (!hasTooManyMarks(plain)) return plain.normalize('NFC');
  let kept = '';
  let inARow = 0;
  for (const character of plain) {
    inARow = MARK.test(character) ? inARow + 1 : 0;
    if (inARow <= MAX_MARKS_IN_A_ROW) kept += character;
  }
  return kept.normalize('NFC');
};

/** Without NUL, and with U+FFFD for lone surrogates. */
export const wellFormed = (value: string): string =>
  value.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\u{fffd}');

/** What is said of a text that has more than `max` characters. */
export const tooLong = (max: number): string => `Ensure this field has no more than ${max} characters.`;

/** Before anything else is done to a text: each issue ends the checks. */
const boundsOf =
  (max: number): z.core.CheckFn<string> =>
  ({ value, issues }) => {
    const fail = (message: string) => issues.push({ code: 'custom', message, input: value });
    if (value.length > MAX_DECOMPOSED_UNITS * max) fail(tooLong(max));
    else if (hasTooManyMarks(value)) {
      fail(`Ensure this field has no more than ${MAX_MARKS_IN_A_ROW} combining marks in a row.`);
    }
  };

/**
 * A text: NFC-normalised, without NUL and lone surrogates, at most `max` code points. With `min` above 0 it
 * must hold something other than white space. Its length is looked at before it is normalised.
 */
export const text = ({ min = 0, max }: { min?: number; max: number }) =>
  z
    .string({ error: typeError('Not a valid string.') })
    .check(boundsOf(max))
    .normalize('NFC')
    .check((ctx) => {
      const fail = (message: string) => ctx.issues.push({ code: 'custom', message, input: ctx.value });
      if (ctx.value.includes('\0')) fail('Null characters are not allowed.');
      if (LONE_SURROGATE.test(ctx.value)) fail('Lone surrogates are not allowed.');
      if (min > 0 && ctx.value.trim() === '') return void fail('This field may not be blank.');
      const length = codePoints(ctx.value);
      if (length > max) fail(tooLong(max));
      if (length < min) fail(`Ensure this field has at least ${min} characters.`);
    })
    .meta(min > 0 ? { minLength: min, maxLength: max } : { maxLength: max });

/** A text that may be left out: absent and null both mean `value`. */
export const optionalText = (max: number, value = '') => text({ max }).default(value);

/** A text that matches `pattern`, or is empty where `allowEmpty`; `message` is the error when it does not. */
const patternText = (max: number, pattern: RegExp, message: string, allowEmpty: boolean) =>
  text({ min: allowEmpty ? 0 : 1, max }).refine(
    (value) => (allowEmpty && value === '') || pattern.test(value),
    {
      error: message,
    },
  );

// The practical form of RFC 5321's Mailbox, as DRF's EmailValidator reads it: a dot-atom, and a domain with a dot.
const EMAIL =
  /^[-!#$%&'*+/=?^_`{}|~0-9A-Z]+(\.[-!#$%&'*+/=?^_`{}|~0-9A-Z]+)*@([A-Z0-9]([A-Z0-9-]{0,61}[A-Z0-9])?\.)+([A-Z0-9-]{2,63})(?<!-)$/i;

const emailError = 'Enter a valid email address.';

/** A last label that begins with a hyphen, which `EMAIL` lets pass as Django does. */
const UNREACHABLE = /@.*\.-/;

/** A required e-mail address that mail can reach, at most `MAX_EMAIL` characters. */
export const email = () =>
  patternText(MAX_EMAIL, EMAIL, emailError, false)
    .refine((value) => !UNREACHABLE.test(value), { error: emailError })
    .meta({ format: 'email', maxLength: MAX_EMAIL });

/** An e-mail address or nothing. */
export const optionalEmail = () =>
  patternText(MAX_EMAIL, EMAIL, emailError, true)
    .default('')
    .meta({ maxLength: MAX_EMAIL, example: 'ada@example.com' });

/** Digits, spaces and `+-().`, at most `MAX_PHONE` of them, or nothing. */
export const optionalPhone = () =>
  patternText(MAX_PHONE, /^[\d +().-]*$/, 'Enter a valid phone number.', true)
    .default('')
    .meta({ pattern: '^[0-9 +().-]*$', maxLength: MAX_PHONE, example: '+44 20 7946 0000' });

/** What of a web address a pattern can say, for the API's description. */
const WEB_SCHEME = '^[Hh][Tt][Tt][Pp][Ss]?://[^ ]+$';

const isWebAddress = (value: string): boolean => {
  if (!/^https?:\/\/\S+$/i.test(value)) return false;
  return URL.canParse(value) && new URL(value).hostname !== '';
};

/**
 * An http or https URL of at most `max` characters, as browsers read it. It stands as it was written, with `ä` or `{`
 * in it: that is no URI of RFC 3986, which the format of that name asks for.
 */
export const webAddress = (max: number) =>
  text({ min: 1, max })
    .refine(isWebAddress, { error: 'Enter a valid URL.' })
    .meta({ pattern: WEB_SCHEME, minLength: 1, maxLength: max });

/** An http or https URL, or nothing. */
export const optionalWebAddress = (max: number) =>
  text({ max })
    .refine((value) => value === '' || isWebAddress(value), { error: 'Enter a valid URL.' })
    .default('')
    .meta({ pattern: `^$|${WEB_SCHEME}`, maxLength: max });

/** An integer from `min` to `max`; `"5"` and `5.5` are refused, never rounded. */
export const integer = ({ min, max }: { min: number; max: number }) =>
  z
    .int({ error: typeError('A valid integer is required.'), abort: true })
    .min(min, { error: `Ensure this value is greater than or equal to ${min}.` })
    .max(max, { error: `Ensure this value is less than or equal to ${max}.` });

/** A boolean; `1` and `"true"` are refused. */
export const boolean = () => z.boolean({ error: typeError('Must be a valid boolean.') });

/** One of `values`. */
export const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, {
    error: (issue) =>
      issue.input === undefined
        ? required
        : issue.input === null
          ? notNull
          : typeof issue.input === 'string'
            ? `"${issue.input.slice(0, 100)}" is not a valid choice.`
            : 'Not a valid string.',
  });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID in its usual spelling, in either case. */
export const isUuid = (value: string): boolean => UUID.test(value);

/** A reference to another object by UUID, read in either case and given on in lower case. */
export const uuidReference = () =>
  z
    .string({ error: typeError('Must be a valid UUID.') })
    .regex(UUID, { error: 'Must be a valid UUID.', abort: true })
    .toLowerCase()
    .meta({ format: 'uuid' });

/** References to at most `max` other objects, each once. */
export const uuidReferences = (max: number) =>
  z
    .array(uuidReference(), { error: typeError('Expected a list of items.') })
    .max(max, `Ensure this list has no more than ${max} items.`)
    .overwrite((list) => [...new Set(list)]);

/** The server-made identity of an object. */
export const uuid = () => z.uuid().meta({ readOnly: true, example: '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11' });

/** A moment: ISO 8601, UTC, milliseconds, offset +00:00; the server's own. */
export const datetime = () =>
  z.iso
    .datetime({ offset: true, precision: 3 })
    .meta({ readOnly: true, example: '2026-11-21T09:30:00.123+00:00' });

const momentError = 'Datetime has wrong format. Use ISO 8601 with an offset: 2026-11-21T09:30:00Z.';

/** Whether its year has four digits in UTC, too, in which it is answered: its offset may lead out of them. */
const hasPlainYear = (value: string): boolean => {
  const year = new Date(value).getUTCFullYear();
  return year >= 0 && year <= 9_999;
};

/** A moment that a caller sets: ISO 8601 with an offset. */
export const moment = () =>
  z.iso
    .datetime({ offset: true, error: typeError(momentError) })
    .refine(hasPlainYear, { error: momentError })
    .meta({ example: '2027-11-21T09:30:00Z' });

/** A list of some of `values`, each once. */
export const choices = <const T extends readonly [string, ...string[]]>(values: T) =>
  z
    .array(choice(values), { error: typeError('Expected a list of items.') })
    .min(1, 'This list may not be empty.')
    .max(values.length, `Ensure this list has no more than ${values.length} items.`)
    .transform((list) => [...new Set(list)]);

/** A nested object in a body, with DRF's words when it is something else. */
export const nested = <T extends z.core.$ZodLooseShape>(shape: T) =>
  z.object(shape, {
    error: (issue) =>
      issue.input === undefined
        ? required
        : issue.input === null
          ? notNull
          : `Invalid data. Expected a dictionary, but got ${jsonType(issue.input)}.`,
  });

/** The name of a JSON value's type, as DRF's messages give it. */
export const jsonType = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return 'dict';
};
