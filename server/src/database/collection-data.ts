import type { Model } from 'mongoose';
import type { z } from 'zod';

/**
 * What a field holds.
 * - `plain`: made by the server, and tells nothing of a person: ids, times, states, counts
 * - `visitor`: what a visitor wrote, or what is known of it; a text that is the whole field names no object
 * - `owner`: what the account's people wrote or set; the same
 * - `address`: where a client connects from, or a keyed hash of that
 * - `sealed`: opened by SECRET_KEY alone; `keyed`: a keyed hash, by which a secret is found; `hashed`: one without a key, of a password or of a secret that was made here
 */
export type FieldKind = 'plain' | 'visitor' | 'owner' | 'address' | 'sealed' | 'keyed' | 'hashed';

type FieldOf<T> = keyof T & string;

/** The fields that a document may lack by its type, but for the events, which no copy holds. */
type AbsentOf<T> = Exclude<
  { [F in keyof T]-?: Record<never, never> extends Pick<T, F> ? F : never }[keyof T] & string,
  'events'
>;

/** The fields that may be null by its type. */
type NullableOf<T> = { [F in keyof T]-?: null extends T[F] ? F : never }[keyof T] & string;

/** How the documents of an account are found. */
export type Owner<T> =
  /** By the field that names it. */
  | { by: FieldOf<T> }
  /** By the field that names a widget or a workflow of it. */
  | { by: FieldOf<T>; via: 'widgets' | 'workflows' }
  /** By the beginning of the field, up to a space. */
  | { by: FieldOf<T>; isPrefix: true }
  /** They are no account's. */
  | 'server';

/** How long a document is kept. */
export type Kept<T> =
  /** Until whoever it belongs to deletes it. */
  | 'until deleted'
  /** As long as the work that it stands for takes: seconds, or the life of a server process. */
  | 'while at work'
  /** By a TTL index: `seconds` after the time in the field. */
  | { after: FieldOf<T>; seconds: number };

/** What becomes of the documents about a conversation or a lead when that is erased. */
export interface Erased<T> {
  /** The field with the uuid of the room, or of the lead. */
  by: FieldOf<T>;
  /**
   * - `deleted`; `buried`: deleted, and the events that wait in them are still announced
   * - `redacted`: they stay, without a word of what was said
   * - `separately`: the feature itself does it, since it has conditions
   * - `announced`: they go by themselves within seconds, and the erasure waits for them
   */
  how: 'deleted' | 'buried' | 'redacted' | 'separately' | 'announced';
  /** When a document was made: an older room of the same uuid is told from a younger one by it. */
  madeAt?: FieldOf<T>;
  /**
   * The time of the event that it was made from, in what has one: it is made later than that, and maybe later than a younger room
   * of the same uuid.
   */
  eventAt?: FieldOf<T>;
  /** The field that one of them has whose words are erased and that still needs them: an account's export leaves it out. */
  markedBy?: FieldOf<T>;
}

/** What is known of a collection: whose it is, what it holds of people, and how long. */
export interface CollectionData<T> {
  owner: Owner<T>;
  kept: Kept<T>;
  /** `copied`: an account's export holds it, in the order of these fields, which an index reads. */
  copied?: Partial<Record<FieldOf<T>, 1 | -1>>;
  /** The fields that name an object without which a document is of no use, and its collection: a copy has both or neither. */
  needs?: { readonly [Field in FieldOf<T>]?: 'rooms' | 'widgets' | 'workflows' };
  /** Wherever there is a `visitor` field. */
  erased?: Erased<T>;
  /** The update that leaves nothing but a document's place, where that has to outlast the account; else it is deleted. */
  emptied?: { $set: Partial<T>; $unset: { [Field in FieldOf<T>]?: 1 } };
  /**
   * Paths through lists and objects at which more words of people stand: whatever a text there looks like, it names no object.
   * An import takes each other uuid for one that is followed (accounts/foreign-objects.ts).
   */
  words?: readonly (FieldOf<T> | `${FieldOf<T>}.${string}`)[];
  /** Paths through objects to what lets whoever has it act for somebody, in fields that hold other things, too. */
  opens?: readonly `${FieldOf<T>}.${string}`[];
  /** The fields that name the account itself wherever they are there: an import takes no other one, be it here or not. */
  own?: readonly FieldOf<T>[];
  /** Of what is copied: the fields that a whole document may lack, as those of earlier versions do, and that may be null. */
  absent?: readonly AbsentOf<T>[];
  nullable?: readonly NullableOf<T>[];
  /**
   * What may stand in a field, with the bounds that its route keeps (database/stored-shapes.ts). Where there is none, a text is an id
   * and a number a count; `_id` is a UUID in lower case.
   */
  shapes?: { readonly [Field in FieldOf<T>]?: z.ZodType };
  /** Every stored field, once. */
  fields: Partial<Record<FieldKind, readonly FieldOf<T>[]>>;
}

/** A collection of a running server, and what is known of it. */
export interface MappedCollection {
  name: string;
  model: Model<Record<string, unknown>>;
  data: CollectionData<Record<string, unknown>>;
}

/** The order in which most collections are copied, as lists have it. */
export const NEWEST_FIRST = { created_at: -1, _id: -1 } as const;

type Declared<D> = D extends { fields: Partial<Record<FieldKind, readonly (infer F)[]>> } ? F : never;

type ListedIn<D, List extends string> = D extends { [L in List]: readonly (infer F)[] } ? F : never;

/** Of what is copied, what the types let be absent or null has to be listed: an import refuses the rest. */
type Unlisted<T, D> = D extends { copied: object } | { absent: object }
  ? Exclude<AbsentOf<T>, ListedIn<D, 'absent'>> | Exclude<NullableOf<T>, ListedIn<D, 'nullable'>>
  : never;

/**
 * Declares a collection. A field of its documents that is left out is a type error that names it, as is one that may be
 * absent or null and is not said to be.
 * @returns what was given
 */
export const collectionOf =
  <T>() =>
  <const D extends CollectionData<T>>(
    data: D &
      ([Exclude<FieldOf<T>, Declared<D>>] extends [never]
        ? unknown
        : { undeclared: Exclude<FieldOf<T>, Declared<D>> }) &
      ([Unlisted<T, D>] extends [never] ? unknown : { unlisted: Unlisted<T, D> }),
  ): CollectionData<T> =>
    data;
