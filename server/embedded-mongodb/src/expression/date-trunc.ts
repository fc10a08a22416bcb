import { asInteger } from '../bson/numbers.ts';
import { fieldsOf, isDocument, isNullish, isNumber, typeName } from '../bson/values.ts';
import { mongoError, refused } from '../errors/mongo-error.ts';
import { DAY, HOUR, MINUTE, SECOND, timeOf, zoneOffset } from './dates.ts';
import type { CompileOperand, Expression } from './expression.ts';

const LENGTHS: Record<string, number> = {
  millisecond: 1,
  second: SECOND,
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
};
const MONTHS: Record<string, number> = { month: 1, quarter: 3, year: 12 };
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
/** MongoDB counts its bins from the start of the year 2000 in the time zone. */
const REFERENCE = Date.UTC(2000, 0, 1);

/** `$dateTrunc`: the start of the bin of `binSize` units that a date falls into. */
export function compileDateTrunc(operand: unknown, compile: CompileOperand): Expression {
  if (!isDocument(operand)) throw mongoError(5439007, '$dateTrunc only supports an object as its argument');
  const fields = fieldsOf(operand);
  const unknown = Object.keys(fields).find(
    (name) => !['date', 'unit', 'binSize', 'timezone', 'startOfWeek'].includes(name),
  );
  if (unknown !== undefined) throw mongoError(5439008, `Unrecognized argument to $dateTrunc: ${unknown}`);
  for (const [i, name] of ['date', 'unit'].entries()) {
    if (!Object.hasOwn(fields, name))
      throw mongoError(5439009 + i, `Missing '${name}' parameter to $dateTrunc`);
  }
  const part = (name: string) => (Object.hasOwn(fields, name) ? compile(fields[name]) : undefined);
  const date = part('date') as Expression;
  const unit = part('unit') as Expression;
  const [binSize, timezone, startOfWeek] = [part('binSize'), part('timezone'), part('startOfWeek')];
  return (root) => {
    const values = [date, unit, binSize, timezone].map((expression) => expression?.(root));
    const isNull = [date, unit, binSize, timezone].some(
      (expression, i) => expression && isNullish(values[i]),
    );
    if (isNull) return null;
    const name = unitOf(values[1]);
    const week = name === 'week' && startOfWeek ? startOfWeek(root) : 'sunday';
    if (isNullish(week)) return null;
    const size = binSize ? binSizeOf(values[2]) : 1;
    const offset = zoneOffset(values[3]) ?? 0;
    const time = timeOf(values[0]);
    if (time === undefined) {
      throw mongoError(5439012, `$dateTrunc requires 'date' to be a date, but got ${typeName(values[0])}`);
    }
    return new Date(truncate(time + offset, name, size, weekdayOf(week)) - offset);
  };
}

function truncate(time: number, unit: string, size: number, weekday: number): number {
  const length = LENGTHS[unit];
  if (length !== undefined) {
    // The reference for weeks is the first such weekday of 2000, a year that began on a Saturday.
    const start = unit === 'week' ? REFERENCE + ((weekday + 1) % 7) * DAY : REFERENCE;
    return start + Math.floor((time - start) / (length * size)) * length * size;
  }
  const date = new Date(time);
  const months = (date.getUTCFullYear() - 2000) * 12 + date.getUTCMonth();
  const bin = (MONTHS[unit] as number) * size;
  return Date.UTC(2000, Math.floor(months / bin) * bin, 1);
}

function unitOf(value: unknown): string {
  if (typeof value !== 'string') {
    throw mongoError(5439013, `$dateTrunc requires 'unit' to be a string, but got ${typeName(value)}`);
  }
  if (LENGTHS[value] === undefined && MONTHS[value] === undefined) {
    throw mongoError(9, `$dateTrunc parameter 'unit' value cannot be recognized as a time unit: ${value}`);
  }
  return value;
}

function binSizeOf(value: unknown): number {
  const size = isNumber(value) ? asInteger(value) : undefined;
  if (size === undefined) throw mongoError(5439017, "$dateTrunc requires 'binSize' to be a 64-bit integer");
  if (size <= 0n) throw mongoError(5439018, "$dateTrunc requires 'binSize' to be greater than 0");
  if (size > 100_000n) throw refused(`$dateTrunc with a binSize of ${size}`);
  return Number(size);
}

function weekdayOf(value: unknown): number {
  if (typeof value !== 'string') {
    throw mongoError(5439015, `$dateTrunc requires 'startOfWeek' to be a string, but got ${typeName(value)}`);
  }
  const name = value.toLowerCase();
  const found = WEEKDAYS.findIndex((day) => day === name || day.slice(0, 3) === name);
  if (found < 0) {
    throw mongoError(
      9,
      `$dateTrunc parameter 'startOfWeek' value cannot be recognized as a day of a week: ${value}`,
    );
  }
  return found;
}
