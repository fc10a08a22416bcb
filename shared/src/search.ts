import { z } from 'zod';
import { choice, datetime, text, uuid } from './fields.ts';
import { MAX_QUERY } from './limits.ts';

/** What can be looked for (docs/contract.md#search). */
export const SEARCH_KINDS = ['conversation', 'message', 'lead', 'note'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** What is looked for. */
export const SearchText = text({ min: 1, max: MAX_QUERY });

export const SearchMatch = z
  .object({
    field: z.string().meta({ description: 'The field that it stands in.', example: 'body' }),
    text: z.string().meta({
      description: 'All of it, or where it is long what is around the first mark, with an ellipsis at a cut.',
      example: 'Do you deliver?',
    }),
    marks: z.array(z.array(z.int().min(0)).length(2)).meta({
      description:
        'Where the words stand in `text`: from a UTF-16 code unit up to before another one, in order; at most 100.',
      example: [[7, 14]],
    }),
  })
  .meta({ id: 'SearchMatch' });
export type SearchMatch = z.infer<typeof SearchMatch>;

/** Something that was found (docs/contract.md#search). */
export const SearchResult = z
  .object({
    kind: choice(SEARCH_KINDS).meta({ example: 'message' }),
    uuid: uuid(),
    at: datetime().meta({ description: 'When it was sent or made.' }),
    conversation: z
      .object({
        uuid: uuid(),
        label: z.string().meta({ example: 'spring-sale' }),
        name: z.string().meta({ example: 'A question about delivery' }),
      })
      .nullable()
      .meta({ description: 'The room; null for a lead that was left in none.' }),
    matches: z.array(SearchMatch).meta({ description: 'Each field that holds one of the words.' }),
  })
  .meta({ id: 'SearchResult' });
export type SearchResult = z.infer<typeof SearchResult>;
