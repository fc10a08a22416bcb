import type { ObjectId, Timestamp } from 'bson';
import { isNullish, typeName } from '../bson/values.ts';
import { mongoError, refused } from '../errors/mongo-error.ts';

/** Milliseconds in a minute, and in a day. */
export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

/** The time of anything that MongoDB takes for a date, in milliseconds; undefined for no date. */
export function timeOf(value: unknown): number | undefined {
  switch (typeName(value)) {
    case 'date':
      return (value as Date).getTime();
    case 'objectId':
      return (value as ObjectId).getTimestamp().getTime();
    case 'timestamp':
      return (value as Timestamp).getHighBitsUnsigned() * 1000;
    default:
      return undefined;
  }
}

/** A time zone's offset from UTC in milliseconds: UTC itself or a fixed offset; names of places are refused. */
export function zoneOffset(zone: unknown): number | undefined {
  if (isNullish(zone)) return undefined;
  if (typeof zone !== 'string')
    throw mongoError(40517, `timezone must evaluate to a string, found ${typeName(zone)}`);
  if (zone === 'UTC' || zone === 'GMT' || zone === 'Etc/UTC') return 0;
  const found = /^([+-])(\d\d)(?::?(\d\d))?$/.exec(zone);
  if (found === null) throw refused(`the time zone '${zone}'`);
  const minutes = Number(found[2]) * 60 + Number(found[3] ?? 0);
  return (found[1] === '-' ? -1 : 1) * minutes * MINUTE;
}
