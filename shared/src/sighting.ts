import { z } from 'zod';
import { datetime, uuid } from './fields.ts';

/** That a widget is on a site: pages of that origin have asked for its settings (docs/contract.md#widget). */
export const Sighting = z
  .object({
    uuid: uuid(),
    widget: uuid().meta({ description: 'The uuid of the widget.' }),
    origin: z.string().meta({
      readOnly: true,
      description: 'Scheme, host and port of the pages.',
      example: 'https://shop.example.com',
    }),
    first_seen_at: datetime(),
    last_seen_at: datetime().meta({ description: 'Written down at most every 5 minutes.' }),
  })
  .meta({ id: 'Sighting' });
export type Sighting = z.infer<typeof Sighting>;
