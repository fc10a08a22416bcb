/**
 * Divides what is written together into parts, in its order, and takes no more of it than the next part needs.
 * @param sizeOf how much of `max` one takes; one that is larger is a part alone
 */
export function* partsOf<T>(all: Iterable<T>, sizeOf: (one: T) => number, max: number): Generator<T[]> {
  let part: T[] = [];
  let size = 0;
  for (const one of all) {
    const own = sizeOf(one);
    if (part.length > 0 && size + own > max) {
      yield part;
      part = [];
      size = 0;
    }
    part.push(one);
    size += own;
  }
  if (part.length > 0) yield part;
}
