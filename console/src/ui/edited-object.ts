import { ApiError, type Tagged } from '../api/client.ts';
import type { Resource } from '../api/resource.ts';
import { changesOf, type Edit, editOf, hasChanges, isSame, rebase, saved } from './edit.ts';
import { keepEdit, keptEdit } from './kept-edit.ts';

const CHANGED_SINCE = 412;

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
  readonly #kind: string;
  readonly #uuid: string;
  readonly #resource: Resource<O>;
  readonly #fieldsOf: (object: O) => T;
  readonly #onChange: (now: Edited<O, T>) => void;

  /** @param kind with the uuid, what is unsaved is kept under it */
  constructor(
    kind: string,
    uuid: string,
    resource: Resource<O>,
    fieldsOf: (object: O) => T,
    onChange: (now: Edited<O, T>) => void,
  ) {
    this.#kind = kind;
    this.#uuid = uuid;
    this.#resource = resource;
    this.#fieldsOf = fieldsOf;
    this.#onChange = onChange;
  }

  /** Reads it, and merges what others have changed. @throws ApiError */
  async read(): Promise<News> {
    const known = await this.#resource.read();
    const fields = this.#fieldsOf(known.object);
    const before = this.current?.edit;
    const kept = before ?? keptEdit<T>(this.#kind, this.#uuid);
    const edit = kept ? rebase(kept, fields) : editOf(fields);
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
    try {
      const answer = await this.#resource.patch(changesOf(sent), known.etag);
      const { edit } = this.current as Edited<O, T>;
      this.#put({ known: answer, edit: saved(sent, edit, this.#fieldsOf(answer.object)) });
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== CHANGED_SINCE) throw error;
      return false;
    }
  }

  #put(next: Edited<O, T>): void {
    this.current = next;
    keepEdit(this.#kind, this.#uuid, hasChanges(next.edit) ? next.edit : undefined);
    this.#onChange(next);
  }
}
