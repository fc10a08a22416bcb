import { createRequire } from 'node:module';
import { mongo } from 'mongoose';

type IsRetryable = (error: mongo.MongoError) => boolean;

/** What the driver asks before it tries an operation once more. */
const NAMES = ['isRetryableReadError', 'isRetryableWriteError'] as const;

/**
 * Lets an operation end that got no answer within `socketTimeoutMS`. The driver (mongodb 7.8 and 7.9) takes that for a broken
 * connection and sends the same once more: whoever asked waits twice as long, and a slow database has twice as much to do. Where
 * the connection broke, or was not made, the driver tries again as before.
 */
export const waitOnlyOnce = (): void => {
  const require = createRequire(createRequire(import.meta.url).resolve('mongoose'));
  const errors = require('mongodb/lib/error.js') as Record<(typeof NAMES)[number], IsRetryable>;
  for (const name of NAMES) {
    const isRetryable = errors[name];
    if (patched.has(isRetryable)) continue;
    const patch: IsRetryable = (error) => !hasWaited(error) && isRetryable(error);
    patched.add(patch);
    errors[name] = patch;
  }
};

const patched = new WeakSet<IsRetryable>();

/** Before the handshake nothing had been asked yet. */
const hasWaited = (error: mongo.MongoError): boolean =>
  error instanceof mongo.MongoNetworkTimeoutError &&
  !(error as { beforeHandshake?: boolean }).beforeHandshake;
