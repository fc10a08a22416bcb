import { ApiError, CHANGED_SINCE, type Tagged } from '../api/client.ts';
import type { Resource } from '../api/resource.ts';
import { words } from '../locale/locale.ts';
import { changesOf, type Edit, editOf, hasChanges, hasMoreTheirs, isSame, rebase, saved } from './edit.ts';
import { keepEdit, keptEdit } from './kept-edit.ts';

/** Retries of a save that others' saves overtook. */
const TRIES = 4;

/**
 * How a saving ended: `merged` with what others have changed meanwhile, and `disputed` where they have changed the same.
 */
export type Saved = 'saved' | 'merged' | 'disputed';

/** An object as it stands on the server, as far as is known here, and what is being written about it. */
export interface Edited<O, T extends object> {
  known: Tagged<O>;
  edit: Edit<T>;
}

/**
 * What a newer state has changed here: `updated` where it is seen in what stands here, `disputed` where it was only in
 * what is being changed here, too.
 */
export type News = 'same' | 'updated' | 'disputed';

/**
 * An object of the API that is edited here, while others may change it. What is written outlives a reload. What others
 * save is merged, field by field, and never overwritten unseen; what is written while something is under way stays.
 */
export class EditedObject<O, T extends object> {
  /** Undefined until it was read. */
  current: Edited<O, T> | undefined;
  readonly #kind: string | undefined;
  readonly #uuid: string;
  readonly #resource: Resource<O>;
  readonly #fieldsOf: (object: O) => T;
  readonly #onChange: (now: Edited<O, T>) => void;
  readonly #bodyOf: (changes: Partial<T>) => object;

  /**
   * @param kind with the uuid, what is unsaved is kept under it; undefined: it is not kept
   * @param bodyOf what is sent of the fields that were changed, where that differs from them
   */
  constructor(
    kind: string | undefined,
    uuid: string,
    resource: Resource<O>,
    fieldsOf: (object: O) => T,
    onChange: (now: Edited<O, T>) => void,
    bodyOf: (changes: Partial<T>) => object = (changes) => changes,
  ) {
    this.#kind = kind;
    this.#uuid = uuid;
    this.#resource = resource;
    this.#fieldsOf = fieldsOf;
    this.#onChange = onChange;
    this.#bodyOf = bodyOf;
  }

  /** Goes on from what is shown of it already, until it is read; nothing is saved before that. */
  begin(object: O): void {
    this.current = { known: { object, etag: '' }, edit: this.#merged(this.#fieldsOf(object)) };
  }

  /** Reads it, and merges what others have changed. @throws ApiError */
  async read(): Promise<News> {
    const known = await this.#resource.read();
    const fields = this.#fieldsOf(known.object);
    const before = this.current?.edit;
    const edit = this.#merged(fields);
    this.#put({ known, edit });
    if (!before || isSame(before.base, fields)) return 'same';
    return isSame(before.mine, edit.mine) ? 'disputed' : 'updated';
  }

  /** Writes about it; nothing before it was read. */
  write(change: (before: Edit<T>) => Edit<T>): void {
    const { current } = this;
    if (current) this.#put({ ...current, edit: change(current.edit) });
  }

  /**
   * Saves what is written.
   * @returns false where somebody else has changed it since: nothing is saved, and it is to be read
   * @throws ApiError
   */
  async save(): Promise<boolean> {
    const { known, edit: sent } = this.current as Edited<O, T>;
    if (known.etag === '') return false;
    try {
      const answer = await this.#resource.patch(this.#bodyOf(changesOf(sent)), known.etag);
      const { edit } = this.current as Edited<O, T>;
      this.#put({ known: answer, edit: saved(sent, edit, this.#fieldsOf(answer.object)) });
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== CHANGED_SINCE) throw error;
      return false;
    }
  }

  /** Saves what is written; what others have changed meanwhile stays, and where it is the same, nothing is saved. @throws ApiError, also where it was overtaken each time */
  async saveMerging(): Promise<Saved> {
    for (let tries = 0; tries < TRIES; tries++) {
      const before = this.current as Edited<O, T>;
      if (await this.save()) return tries > 0 ? 'merged' : 'saved';
      await this.read();
      const { edit } = this.current as Edited<O, T>;
      if (hasMoreTheirs(before.edit, edit)) return 'disputed';
      if (!hasChanges(edit)) return 'merged';
    }
    throw new ApiError(CHANGED_SINCE, words.value.edits.stillChanging);
  }

  #merged(fields: T): Edit<T> {
    const kept = this.current?.edit ?? (this.#kind && keptEdit<T>(this.#kind, this.#uuid));
    return kept ? rebase(kept, fields) : editOf(fields);
  }

  #put(next: Edited<O, T>): void {
    this.current = next;
    if (this.#kind) keepEdit(this.#kind, this.#uuid, hasChanges(next.edit) ? next.edit : undefined);
    this.#onChange(next);
  }
}
