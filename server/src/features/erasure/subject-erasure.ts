import type { Model } from 'mongoose';
import type { Erased, MappedCollection } from '../../database/collection-data.ts';
import { madeBefore, toldBefore } from '../../database/has-come.ts';
import { deleteDocuments } from '../../events/delete.ts';
import type { EventHolder } from '../../events/events.ts';
import type { Tombstones } from '../../events/tombstones.ts';

/** The subject: the uuid of a conversation's room, or of a lead. */
type Redact = (subject: string, before?: Date, deadline?: number) => Promise<void>;

/** The collections whose documents stay and lose what was said: each knows how. */
export type Redactions = Record<'deliveries' | 'realtimeEntries' | 'searchSegments' | 'sessions', Redact>;

/** How much of a subject is erased; all of it unless this says more. */
interface Extent {
  /** Only what was made before: whoever wrote in a room that was deleted may begin anew there. */
  before?: Date;
  /**
   * When to leave what nobody is shown any more to the next time, by the clock of `performance`: its words in the search index,
   * which may lie in as many places as it has days.
   */
  deadline?: number;
  /** It has begun anew: what does not say when it was made stays, since it may be of that. */
  isAnew?: boolean;
}

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
   * Erases in each collection, also where it fails in another, as by a timeout.
   * @throws TypeError for null, by which everything would be found that is of no conversation, and what failed first
   */
  async erase(subject: string, { before, deadline, isAnew = false }: Extent = {}): Promise<void> {
    if (typeof subject !== 'string' || subject === '') throw new TypeError('nothing is named to be erased');
    const failures: unknown[] = [];
    for (const { name, model, data } of this.#collections) {
      const { erased } = data;
      // What stays and is emptied says nothing of who begins anew.
      if (!erased || (isAnew && !erased.madeAt && erased.how !== 'redacted')) continue;
      const until = erased.madeAt ? before : undefined;
      const isOld = until && wasMade(erased, until);
      const filter = { [erased.by]: subject, ...isOld };
      const erasing = async (): Promise<unknown> => {
        if (erased.how === 'deleted') return model.deleteMany(filter);
        if (erased.how === 'redacted') {
          return this.#redactions[name as keyof Redactions](subject, until, deadline);
        }
        if (erased.how !== 'buried') return undefined;
        return deleteDocuments(model as unknown as Model<EventHolder>, filter, this.#tombstones);
      };
      await erasing().catch((error) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Whether all events of what was deleted have been announced, so that nothing more comes of them. */
  isOut(subject: string): Promise<boolean> {
    return this.#tombstones.areOut(subject);
  }
}

const wasMade = ({ madeAt = '', eventAt }: Erased<Record<string, unknown>>, before: Date) =>
  eventAt === undefined ? madeBefore(madeAt, before) : toldBefore(madeAt, eventAt, before);
