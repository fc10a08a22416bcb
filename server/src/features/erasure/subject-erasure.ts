import type { Model } from 'mongoose';
import type { MappedCollection } from '../../database/collection-data.ts';
import { deleteDocuments } from '../../events/delete.ts';
import type { EventHolder } from '../../events/events.ts';
import type { Tombstones } from '../../events/tombstones.ts';

/** The subject: the uuid of a conversation's room, or of a lead. */
type Redact = (subject: string, before?: Date) => Promise<void>;

/** The collections whose documents stay and lose what was said: each knows how. */
export type Redactions = Record<'deliveries' | 'realtimeEntries' | 'searchSegments', Redact>;

/**
 * Erases what collections hold of a conversation or of a lead, as the map of data says. Events that wait are still announced, as
 * for everything that is deleted; what they make is erased by doing it again, once `isOut`.
 */
export class SubjectErasure {
  readonly #collections: readonly MappedCollection[];
  readonly #tombstones: Tombstones;
  readonly #redactions: Redactions;

  constructor(collections: readonly MappedCollection[], tombstones: Tombstones, redactions: Redactions) {
    this.#collections = collections;
    this.#tombstones = tombstones;
    this.#redactions = redactions;
  }

  /**
   * @param before only what was made before, since the room was made anew then
   */
  async erase(subject: string, before?: Date): Promise<void> {
    for (const { name, model, data } of this.#collections) {
      const { erased } = data;
      if (!erased) continue;
      if (before && !erased.madeAt) continue;
      const filter = { [erased.by]: subject, ...(before && { [erased.madeAt ?? '']: { $lt: before } }) };
      if (erased.how === 'deleted') await model.deleteMany(filter);
      if (erased.how === 'buried') {
        await deleteDocuments(model as unknown as Model<EventHolder>, filter, this.#tombstones);
      }
      if (erased.how === 'redacted') await this.#redactions[name as keyof Redactions](subject, before);
    }
  }

  /** Whether all events of what was deleted have been announced, so that nothing more comes of them. */
  isOut(subject: string): Promise<boolean> {
    return this.#tombstones.areOut(subject);
  }
}
