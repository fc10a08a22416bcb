/** A busy page does what can wait after this all the same (milliseconds). */
const LATEST_MS = 500;

/** Calls when nothing else is to be done: what somebody does meanwhile comes first. @returns what calls it off */
export const whenIdle = (call: () => void): (() => void) => {
  // Safari has no idle callbacks.
  if (!('requestIdleCallback' in globalThis)) {
    const timer = setTimeout(call);
    return () => clearTimeout(timer);
  }
  const idle = requestIdleCallback(call, { timeout: LATEST_MS });
  return () => cancelIdleCallback(idle);
};
