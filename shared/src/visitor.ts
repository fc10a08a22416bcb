import { z } from 'zod';
import { datetime, nested, text } from './fields.ts';
import { MAX_PAGE_TITLE, MAX_PAGE_URL } from './limits.ts';
import { RoomReference } from './room-reference.ts';

/** The body of POST /api/v1/widgets/<widget_token>/sessions/ (docs/contract.md#visitors). */
export const NewVisitorSession = z
  .object({
    page: nested({
      url: text({ max: MAX_PAGE_URL }).default(''),
      title: text({ max: MAX_PAGE_TITLE }).default(''),
      referrer: text({ max: MAX_PAGE_URL }).default(''),
    }).optional(),
    locale: text({ max: 35 }).default(''),
  })
  .meta({ id: 'NewVisitorSession' });
export type NewVisitorSession = z.infer<typeof NewVisitorSession>;

/** What a visitor's browser gets: a token that opens its own conversation and nothing else. */
export const VisitorSession = z
  .object({
    token: z.string().meta({ example: 'v1.0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11.mi9c2k3a.5f…' }),
    expires_at: datetime(),
    room: RoomReference,
  })
  .meta({ id: 'VisitorSession' });
export type VisitorSession = z.infer<typeof VisitorSession>;
