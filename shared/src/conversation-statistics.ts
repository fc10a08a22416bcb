import { z } from 'zod';

const day = () => z.iso.date().meta({ example: '2026-11-21' });

const seconds = (description: string) => z.int().min(0).nullable().meta({ description, example: 240 });

const counted = {
  total: z.int().meta({ description: 'Conversations that began.', example: 12 }),
  answered: z.int().meta({ description: 'Of these, those that a member has answered.', example: 11 }),
  first_response: seconds(
    'Half of the answered ones had their first answer within this many seconds; null: none is answered.',
  ),
  rated: z.int().meta({ description: 'Of these, those that a visitor has rated.', example: 4 }),
  rating: z.number().nullable().meta({ description: 'The mean of the ratings; null: none.', example: 4.5 }),
};

/** The answer to GET /api/v1/conversations/stats/ (docs/contract.md#conversation). */
export const ConversationStatistics = z
  .object({
    start_date: day(),
    end_date: day(),
    ...counted,
    first_response_90: seconds('Nine of ten had theirs within this many seconds; null: none is answered.'),
    ratings: z
      .array(z.int())
      .length(5)
      .meta({ description: 'How many rated 1, 2, 3, 4 and 5.', example: [0, 0, 0, 2, 2] }),
    results: z.array(z.object({ day: day(), ...counted })).meta({ description: 'Each day, oldest first.' }),
  })
  .meta({ id: 'ConversationStatistics' });
export type ConversationStatistics = z.infer<typeof ConversationStatistics>;
