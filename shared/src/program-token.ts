import { z } from 'zod';
import { choice, choices, datetime, moment, text, uuid } from './fields.ts';
import { MAX_TOKEN_NAME } from './limits.ts';

/** What a program may do: to write something is to read it, too (docs/contract.md#program-tokens). */
export const SCOPES = [
  'conversations:read',
  'conversations:write',
  'leads:read',
  'leads:write',
  'keywords:read',
  'keywords:write',
  'webhooks:read',
  'webhooks:write',
  'widgets:read',
  'widgets:write',
  'workflows:read',
  'workflows:write',
  'members:read',
  'audit:read',
] as const;
export type Scope = (typeof SCOPES)[number];

/** A token for a program, without the token itself. */
export const ProgramToken = z
  .object({
    uuid: uuid(),
    name: text({ min: 1, max: MAX_TOKEN_NAME }).meta({ example: 'Order import' }),
    scopes: z.array(choice(SCOPES)).meta({ example: ['conversations:read', 'leads:write'] }),
    member: uuid().meta({ description: 'Who made it, with whose rights it acts.' }),
    expires_at: datetime().nullable().meta({ description: 'null: never.', example: null }),
    used_at: datetime()
      .nullable()
      .meta({ description: 'When it was last used, to 5 minutes.', example: null }),
    created_at: datetime(),
  })
  .meta({ id: 'ProgramToken' });
export type ProgramToken = z.infer<typeof ProgramToken>;

/** The body of POST /api/v1/tokens/. */
export const NewProgramToken = ProgramToken.pick({ name: true })
  .extend({
    scopes: choices(SCOPES).meta({ example: ['conversations:read', 'leads:write'] }),
    expires_at: moment().nullable().default(null),
  })
  .meta({ id: 'NewProgramToken' });
export type NewProgramToken = z.infer<typeof NewProgramToken>;

/** A new token, which is shown this once. */
export const ShownProgramToken = ProgramToken.extend({
  token: z.string().meta({ example: 'pat_k7dmW2qx3fzp9ahvk7dmW2qx3fzp9ahvk7dmW2qx' }),
}).meta({ id: 'ShownProgramToken' });
export type ShownProgramToken = z.infer<typeof ShownProgramToken>;
