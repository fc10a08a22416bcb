import { fieldsOf, isDocument, isNullish, typeName } from '../bson/values.ts';
import { mongoError, refused } from '../errors/mongo-error.ts';
import { DAY, MINUTE, timeOf, zoneOffset } from './dates.ts';
import type { CompileOperand, Expression } from './expression.ts';

/** `$dateToString`: a date as text, by default ISO 8601. */
export function compileDateToString(operand: unknown, compile: CompileOperand): Expression {
  if (!isDocument(operand)) throw mongoError(18629, '$dateToString only supports an object as its argument');
  const fields = fieldsOf(operand);
  const unknown = Object.keys(fields).find(
    (name) => !['date', 'format', 'timezone', 'onNull'].includes(name),
  );
  if (unknown !== undefined) throw mongoError(18534, `Unrecognized argument to $dateToString: ${unknown}`);
  if (!Object.hasOwn(fields, 'date')) throw mongoError(18628, "Missing 'date' parameter to $dateToString");
  const part = (name: string) => (Object.hasOwn(fields, name) ? compile(fields[name]) : undefined);
  const date = part('date') as Expression;
  const [format, timezone, onNull] = [part('format'), part('timezone'), part('onNull')];
  return (root) => {
    const value = date(root);
    const pattern = format?.(root);
    if (format && !isNullish(pattern) && typeof pattern !== 'string') {
      throw mongoError(
        18533,
        `$dateToString requires that 'format' be a string, found: ${typeName(pattern)}`,
      );
    }
    const zone = timezone?.(root);
    const offset = timezone && !isNullish(zone) ? (zoneOffset(zone) as number) : 0;
    const isNull = isNullish(value) || (format && isNullish(pattern)) || (timezone && isNullish(zone));
    if (isNull) return onNull ? onNull(root) : null;
    const time = timeOf(value);
    if (time === undefined)
      throw mongoError(16006, `can't convert from BSON type ${typeName(value)} to Date`);
    const standard = offset === 0 && isUtc(zone) ? '%Y-%m-%dT%H:%M:%S.%LZ' : '%Y-%m-%dT%H:%M:%S.%L';
    return formatDate(time, (pattern as string | undefined) ?? standard, offset);
  };
}

/** Only UTC itself and offsets of zero get the Z; GMT, the same time, does not. */
function isUtc(zone: unknown): boolean {
  return zone === undefined || zone === 'UTC' || /^[+-]/.test(String(zone));
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

function formatDate(time: number, pattern: string, offset: number): string {
  const date = new Date(time + offset);
  const year = date.getUTCFullYear();
  // Not a number beyond the dates of JavaScript, where the offset may lead.
  if (!isFourDigits(year)) throw refused('$dateToString of a year that has not four digits');
  return pattern.replace(/%([\s\S]?)/g, (_, letter: string) => {
    switch (letter) {
      case 'Y':
        return pad(year, 4);
      case 'm':
        return pad(date.getUTCMonth() + 1, 2);
      case 'd':
        return pad(date.getUTCDate(), 2);
      case 'H':
        return pad(date.getUTCHours(), 2);
      case 'M':
        return pad(date.getUTCMinutes(), 2);
      case 'S':
        return pad(date.getUTCSeconds(), 2);
      case 'L':
        return pad(date.getUTCMilliseconds(), 3);
      case 'j':
        return pad(dayOfYear(date) + 1, 3);
      case 'w':
        return String(date.getUTCDay() + 1);
      case 'u':
        return String(isoWeekday(date));
      case 'U':
        return pad(Math.floor((dayOfYear(date) + 7 - date.getUTCDay()) / 7), 2);
      case 'V':
        return pad(isoWeek(date).week, 2);
      case 'G':
        return fourDigits(isoWeek(date).year);
      case 'b':
        return (MONTHS[date.getUTCMonth()] as string).slice(0, 3);
      case 'B':
        return MONTHS[date.getUTCMonth()] as string;
      case 'z':
        return `${offset < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(offset) / MINUTE / 60), 2)}${pad((Math.abs(offset) / MINUTE) % 60, 2)}`;
      case 'Z':
        return String(offset / MINUTE);
      case '%':
        return '%';
      case '':
        throw mongoError(18535, "Unmatched '%' at end of format string");
      default:
        throw mongoError(18536, `Invalid format character '%${letter}' in format string`);
    }
  });
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

const isFourDigits = (year: number): boolean => year >= 0 && year <= 9999;

/** The year of an ISO week, which may be the one before the first or after the last that MongoDB prints. */
function fourDigits(year: number): string {
  if (isFourDigits(year)) return pad(year, 4);
  const text = 'Could not convert date to string: date component was outside the supported range of 0-9999';
  throw mongoError(18537, `${text}: ${year}`);
}

function dayOfYear(date: Date): number {
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  const newYear = new Date(0).setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - newYear) / DAY);
}

function isoWeekday(date: Date): number {
  return date.getUTCDay() === 0 ? 7 : date.getUTCDay();
}

/** ISO 8601's week: it belongs to the year that its Thursday is in. */
function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(date.getTime() + (4 - isoWeekday(date)) * DAY);
  return { year: thursday.getUTCFullYear(), week: Math.floor(dayOfYear(thursday) / 7) + 1 };
}
