import { z } from 'zod';

/** argon2id of version 19 in the PHC string format, with a salt of 16 bytes and a hash of 32: what Parlor has ever written. */
const FORM =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,4}),t=([1-9]),p=([1-9])\$[A-Za-z0-9+/]{21}[AQgw]\$[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]$/;

/**
 * The most that a hash may cost, since nothing breaks off looking at one: memory and lanes as RFC 9106, 4 recommends them where
 * memory is scarce, and passes as the cheapest of OWASP's choices has them.
 */
const MAX_MEMORY_KIB = 65_536;
const MAX_PASSES = 5;
const MAX_LANES = 4;

/** Of the memory, what each lane has at least (RFC 9106, 3.1). */
const LEAST_OF_LANE_KIB = 8;

/** Whether a text is a password's hash of a form and cost that a server may have stored. */
export const isPasswordHash = (text: string): boolean => {
  const [memory = 0, passes = 0, lanes = 0] = FORM.exec(text)?.slice(1).map(Number) ?? [];
  const isSound = memory >= LEAST_OF_LANE_KIB * lanes && lanes > 0;
  return isSound && memory <= MAX_MEMORY_KIB && passes <= MAX_PASSES && lanes <= MAX_LANES;
};

/** The same as an import checks it (database/collection-data.ts). */
export const PASSWORD_HASH = z
  .string()
  .refine(isPasswordHash, { error: 'No hash of a password, of a cost that is taken.' });
