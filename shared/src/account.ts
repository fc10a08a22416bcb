import { z } from 'zod';
import { boolean, datetime, email, text, tooLong, uuid } from './fields.ts';
import { codePoints } from './lengths.ts';

/** A username, as it is written and folded. */
export const MAX_USERNAME = 150;

/**
 * Equal for two spellings of one name that differ in case or Unicode composition only. Some letters become several,
 * U+FDFA 18: what is folded is longer than what was written.
 */
export const foldName = (name: string): string => name.normalize('NFKC').toLowerCase();

/** A username, as long as it may be in its folded form too, which an index holds. */
const username = (min: number) =>
  text({ min, max: MAX_USERNAME }).refine((name) => codePoints(foldName(name)) <= MAX_USERNAME, {
    error: tooLong(MAX_USERNAME),
  });

/** The body of POST /api/v1/auth/register (docs/contract.md#accounts). */
export const Registration = z
  .object({
    username: username(3)
      .regex(/^[\p{L}\p{N}@.+_-]*$/u, {
        error:
          'Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.',
      })
      .meta({ minLength: 3, maxLength: MAX_USERNAME, example: 'ada' }),
    email: email().meta({ example: 'ada@example.com' }),
    password: text({ min: 1, max: 1000 }).meta({ example: 'a long enough secret' }),
    password2: text({ min: 1, max: 1000 }).meta({ example: 'a long enough secret' }),
    invite: text({ max: 200 }).default('').meta({ description: 'An invitation, where one is needed.' }),
  })
  .meta({ id: 'Registration' });
export type Registration = z.infer<typeof Registration>;

/** The body of POST /api/v1/auth/api-token. */
export const Credentials = z
  .object({
    username: username(1).meta({ minLength: 1, maxLength: MAX_USERNAME, example: 'ada' }),
    password: text({ min: 1, max: 1000 }).meta({ example: 'a long enough secret' }),
    reset_token: boolean().default(false),
    code: text({ max: 40 }).default('').meta({
      description:
        'Added: of the authenticator app, or a recovery code, where the member has a second factor.',
    }),
  })
  .meta({ id: 'Credentials' });
export type Credentials = z.infer<typeof Credentials>;

/** What holds for everybody in an account (docs/contract.md#account). */
export const Account = z
  .object({
    uuid: uuid(),
    requires_totp: boolean().meta({
      description: 'Whether each member needs a second factor before a session of it does anything else.',
    }),
    created_at: datetime(),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof Account>;

/** The body of PATCH /api/v1/account/. */
export const AccountSettings = Account.pick({ requires_totp: true }).meta({ id: 'AccountSettings' });
export type AccountSettings = z.infer<typeof AccountSettings>;
