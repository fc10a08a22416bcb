import { lineKey, timeOfKey, uuidOfKey } from './lines.ts';
import type { SearchObject } from './source.ts';

/** The object after which a walk goes on. */
type Place = Pick<SearchObject, 'at' | 'uuid'>;

/**
 * How the place of a walk is written down: as the key of its line, and as both where that can't hold them, such as a time
 * before 1970. Read from another place than it was, a walk would come by the same objects without end.
 */
export const placeToText = ({ at, uuid }: Place): string => {
  const key = lineKey(at, uuid);
  const isSame = timeOfKey(key).getTime() === at.getTime() && uuidOfKey(key) === uuid;
  return isSame ? key : `${at.getTime()} ${uuid}`;
};

/** The place that `placeToText` has written. */
export const placeOfText = (text: string): Place => {
  const end = text.indexOf(' ');
  if (end === -1) return { at: timeOfKey(text), uuid: uuidOfKey(text) };
  return { at: new Date(Number(text.slice(0, end))), uuid: text.slice(end + 1) };
};
