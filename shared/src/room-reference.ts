import { z } from 'zod';
import { uuid } from './fields.ts';

/** What names a room to a caller: messages are written by its uuid, everything else is at its label. */
export const RoomReference = z
  .object({ uuid: uuid(), label: z.string().meta({ readOnly: true, example: 'spring-sale' }) })
  .meta({ id: 'RoomReference' });
export type RoomReference = z.infer<typeof RoomReference>;
