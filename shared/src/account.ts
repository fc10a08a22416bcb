import { z } from 'zod';
import { boolean, email, text } from './fields.ts';

/** The body of POST /api/v1/auth/register (contract 2). */
export const Registration = z
  .object({
    username: text({ min: 3, max: 150 })
      .regex(/^[\p{L}\p{N}@.+_-]*$/u, {
        error:
          'Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.',
      })
      .meta({ minLength: 3, maxLength: 150, example: 'ada' }),
    email: email().meta({ example: 'ada@example.com' }),
    password: text({ min: 1, max: 1000 }).meta({ example: 'a long enough secret' }),
    password2: text({ min: 1, max: 1000 }).meta({ example: 'a long enough secret' }),
  })
  .meta({ id: 'Registration' });
export type Registration = z.infer<typeof Registration>;

/** The body of POST /api/v1/auth/api-token. */
export const Credentials = z
  .object({
    username: text({ min: 1, max: 1000 }).meta({ example: 'ada' }),
    password: text({ min: 1, max: 1000 }).meta({ example: 'a long enough secret' }),
    reset_token: boolean().default(false),
  })
  .meta({ id: 'Credentials' });
export type Credentials = z.infer<typeof Credentials>;
