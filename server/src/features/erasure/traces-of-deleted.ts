import { subjectOf } from '../../events/events.ts';
import type { Tombstones } from '../../events/tombstones.ts';
import { emptyClaims } from '../../http/empty-claims.ts';
import type { IdempotencyModel } from '../../http/idempotency.model.ts';
import type { Channel } from '../realtime/channel.ts';

interface Parts {
  tombstones: Tombstones;
  claims: IdempotencyModel;
  channel: Pick<Channel, 'forget'>;
}

/** Has what is kept elsewhere of an object go with it when it is deleted by itself: the response that made it, and a note's events. */
export const removeTracesOfDeleted = ({ tombstones, claims, channel }: Parts): void =>
  tombstones.onDeletion(async ({ uuid, event }) => {
    await emptyClaims(claims, { object: uuid, subject: subjectOf(event) });
    if (event.name === 'note.deleted') await channel.forget(uuid);
  });
