import type { SearchKind } from '@parlor/shared';
import type { OutboxEvent } from '../../events/events.ts';

/** Something that can be found, as it stands. */
export interface SearchObject {
  uuid: string;
  account: string;
  /** Its conversation's; empty for none, undefined where that is not known yet. */
  widget: string | undefined;
  /** When it was made; it never changes. */
  at: Date;
  /** The conversation that it belongs to. */
  room: string | undefined;
  /** The rooms and leads whose erasure erases words of it. */
  subjects: readonly string[];
  /** What is looked at, by field. */
  texts: readonly (readonly [field: string, text: string])[];
}

/** Whether it is known when an object was made: one whose document is damaged has no place among the others. */
export const isTimed = ({ at }: { at: unknown }): boolean =>
  at instanceof Date && !Number.isNaN(at.getTime());

/** An object that an event tells something of. */
export interface Touched {
  uuid: string;
  /** Where this process has seen the same mark for it last, nothing has changed. */
  mark?: string;
  /** It has been deleted: the subject by which its words are found in the index. */
  deletedFrom?: string;
}

/** Where the objects of a kind come from. */
export interface SearchSource {
  kind: SearchKind;
  /** The operation that shows such objects: whoever may not call it finds none (access/rights.ts). */
  operation: string;
  /** The object of this kind that an event tells something of. */
  touchedBy(event: OutboxEvent): Touched | undefined;
  /** Those of an account that exist. */
  read(account: string, uuids: readonly string[]): Promise<SearchObject[]>;
  /** The newest ones of an account; after a step those that are older than its last one. */
  readOlder(account: string, before: Pick<SearchObject, 'at' | 'uuid'> | undefined): Promise<SearchObject[]>;
  /** Only of objects that are deleted by themselves, which nobody goes through again: which of them exist. */
  left?(account: string, uuids: readonly string[]): Promise<Set<string>>;
  /** Only of objects that never change: an object as the event tells it, and which of them exist. */
  fixed?: {
    ofEvent(event: OutboxEvent): SearchObject;
    existing(account: string, uuids: readonly string[]): Promise<Set<string>>;
  };
}

/** How many objects a step of `readOlder` has: the words of the longest take 300 KiB of memory each. */
export const STEP = 200;

/** The filter of what is older than an object, in the order of lists. */
export const olderThan = (
  timeField: string,
  before: Pick<SearchObject, 'at' | 'uuid'> | undefined,
): object =>
  before === undefined
    ? {}
    : {
        [timeField]: { $lte: before.at },
        $or: [{ [timeField]: { $lt: before.at } }, { _id: { $lt: before.uuid } }],
      };
