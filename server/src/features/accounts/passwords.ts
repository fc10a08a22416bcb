import { availableParallelism } from 'node:os';
import { hash, type Options, verify } from '@node-rs/argon2';
import { foldName } from '@parlor/shared';
import pLimit from 'p-limit';
import type { FieldErrors } from '../../platform/errors.ts';
import { holdingExit } from '../../platform/leave.ts';
import { loadLater } from '../../platform/load-later.ts';
import { isPasswordHash } from './password-hash.ts';

/** argon2id with the parameters of OWASP's password storage cheat sheet (19 MiB, 2 passes, 1 lane). */
const COST: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const MIN_LENGTH = 8;

/** Parts of a name shorter than this say nothing about a password's likeness to it. */
const MIN_LIKENESS = 4;

const language = loadLater<typeof import('@zxcvbn-ts/language-common')>('@zxcvbn-ts/language-common');
let common: ReadonlySet<string> | undefined;

const isCommon = (password: string): boolean => {
  common ??= new Set<string>(language().dictionary['passwords-common']);
  return common.has(password.toLowerCase());
};

/** One core is left to everybody else while many people sign in, and each hash takes its 19 MiB. */
const turns = pLimit(Math.max(1, availableParallelism() - 1));

const takeTurns = <T>(work: () => Promise<T>): Promise<T> => turns(() => holdingExit(work));

/** argon2id in the PHC string format; off the event loop. */
export const hashPassword = (password: string): Promise<string> => takeTurns(() => hash(password, COST));

/** How a hash of today's cost begins. */
const TODAY = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`;

/** Whether a hash was made at another cost than today's; it is made anew at the next sign-in. */
export const isOutdated = (hashed: string): boolean => !hashed.startsWith(TODAY);

// Verified when there is no such user, so that a caller can't tell by the time it takes (docs/contract.md#accounts).
const NOBODY = `${TODAY}${'A'.repeat(22)}$${'A'.repeat(43)}`;

/**
 * Whether the password is the one behind `hashed`; takes as long when there is none, or what an older version has read in and
 * no server would write.
 */
export const isPassword = async (hashed: string | undefined, password: string): Promise<boolean> => {
  const isOne = hashed !== undefined && isPasswordHash(hashed);
  const matches = await takeTurns(() => verify(isOne ? hashed : NOBODY, password));
  return isOne && matches;
};

const isLike = (password: string, name: string): boolean => {
  const given = foldName(password);
  return [name, ...name.split(/[^\p{L}\p{N}]+/u)]
    .map(foldName)
    .some((part) => part.length >= MIN_LIKENESS && (given.includes(part) || part.includes(given)));
};

/** What is wrong with a new password (docs/contract.md#accounts); empty when nothing is. */
export const passwordErrors = (password: string, username: string, email: string): string[] => {
  const errors: string[] = [];
  if (isLike(password, username)) errors.push('The password is too similar to the username.');
  if (isLike(password, email)) errors.push('The password is too similar to the email.');
  if ([...password].length < MIN_LENGTH) {
    errors.push(`This password is too short. It must contain at least ${MIN_LENGTH} characters.`);
  }
  if (isCommon(password)) errors.push('This password is too common.');
  if (/^\p{Nd}+$/u.test(password)) errors.push('This password is entirely numeric.');
  return errors;
};

/** What is wrong with a password that is chosen and typed twice, by field; empty when nothing is. */
export const chosenPasswordErrors = (
  { password, password2 }: { password: string; password2: string },
  { username, email }: { username: string; email: string },
): FieldErrors => {
  const weak = passwordErrors(password, username, email);
  return {
    ...(weak.length > 0 && { password: weak }),
    ...(password !== password2 && { password2: ["The two password fields didn't match."] }),
  };
};
