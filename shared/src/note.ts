import { z } from 'zod';
import { datetime, text, uuid } from './fields.ts';
import { MAX_MESSAGE } from './limits.ts';
import { Author, AuthorThen } from './message.ts';

/** What members tell each other about a conversation; no visitor sees it (docs/contract.md#notes). */
export const Note = z
  .object({
    uuid: uuid(),
    body: text({ min: 1, max: MAX_MESSAGE }).meta({
      description: '`@username` mentions a member.',
      example: '@grace Is it in stock?',
    }),
    author: Author.nullable().meta({ description: 'The member who wrote it; null: a program.' }),
    mentions: z.array(uuid()).meta({
      description: 'The members whom it mentions, and who see the conversation.',
      readOnly: true,
      example: ['0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11'],
    }),
    created_at: datetime(),
    edited_at: datetime().nullable().meta({
      description: 'When its body was changed last; null: never.',
      example: null,
    }),
  })
  .meta({ id: 'Note' });
export type Note = z.infer<typeof Note>;

/** The fields of a note that a caller writes. */
export const NewNote = Note.pick({ body: true }).meta({ id: 'NewNote' });
export type NewNote = z.infer<typeof NewNote>;

/** A note after a write, as colleagues are told of it. */
export const NoteWritten = Note.extend({
  author: AuthorThen.nullable(),
  /** Whom this write mentions and none before it did; its author is left out. */
  mentioned: z.array(z.uuid()),
});
export type NoteWritten = z.infer<typeof NoteWritten>;
