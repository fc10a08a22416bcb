/**
 * A signal that is given once a time is over, with a `TimeoutError` as AbortSignal.timeout has it, or when one of `others` is.
 * Node.js 20 forgets an AbortSignal.timeout that only AbortSignal.any knows of, as soon as it collects garbage.
 * @param ms milliseconds; it keeps no process from ending
 */
export const timeLimit = (ms: number, ...others: readonly AbortSignal[]): AbortSignal => {
  const late = new AbortController();
  setTimeout(() => late.abort(new DOMException('The time is over', 'TimeoutError')), ms).unref();
  return AbortSignal.any([late.signal, ...others]);
};
