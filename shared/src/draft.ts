import { z } from 'zod';
import { boolean, datetime, text } from './fields.ts';
import { MAX_MESSAGE } from './limits.ts';

/** What a member has written of an answer or a note and not sent yet (docs/contract.md#drafts). */
export const Draft = z
  .object({
    body: text({ max: MAX_MESSAGE }).meta({
      description: 'Empty: there is no draft.',
      example: 'We deliver',
    }),
    is_note: boolean().default(false).meta({ description: 'Whether it is to be a note.' }),
    updated_at: datetime().nullable().meta({ description: 'null: there is no draft.' }),
  })
  .meta({ id: 'Draft' });
export type Draft = z.infer<typeof Draft>;

/** The fields of a draft that a caller writes. */
export const NewDraft = Draft.omit({ updated_at: true }).meta({ id: 'NewDraft' });
export type NewDraft = z.infer<typeof NewDraft>;
