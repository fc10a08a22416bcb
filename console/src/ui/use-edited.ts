import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { Resource } from '../api/resource.ts';
import { choose, type Edit, editOf, hasChanges } from './edit.ts';
import { EditedObject } from './edited-object.ts';

/**
 * What a form changes of an object that is shown already. It sends what was changed in it, and nothing else; what others
 * save meanwhile is taken in, and where that is the same, it is shown beside it before anything is saved.
 */
export const useEdited = <O, T extends object>({
  kind,
  uuid,
  path,
  object,
  fieldsOf,
  bodyOf,
}: {
  /** With the uuid, what is unsaved is kept under it; undefined: it is not kept. */
  kind?: string;
  uuid: string;
  path: string;
  object: O;
  fieldsOf(object: O): T;
  /** What is sent of the fields that were changed. */
  bodyOf?: (changes: Partial<T>) => object;
}) => {
  const [, tell] = useState({});
  const [own] = useState(() => {
    const edited = new EditedObject<O, T>(kind, uuid, new Resource(path), fieldsOf, () => tell({}), bodyOf);
    edited.begin(object);
    return edited;
  });
  const now = () => own.current as NonNullable<typeof own.current>;
  const write = (change: (before: Edit<T>) => Edit<T>) => own.write(change);
  useEffect(() => {
    own.read().catch((error) => {
      // Whoever saves reads it once more, and is told then.
      if (!(error instanceof ApiError)) throw error;
    });
  }, []);
  return {
    edit: now().edit,
    /** Writes into a field. */
    type: <N extends keyof T>(name: N, value: T[N]) =>
      write((before) => ({ ...before, mine: { ...before.mine, [name]: value } })),
    /** Takes what somebody else has written into a field. */
    take: (name: keyof T) => write((before) => choose(before, name, true)),
    forget: () => write(({ base }) => editOf(base)),
    /**
     * Saves what was changed here, if anything was.
     * @returns the object as it is then; undefined where somebody else has changed the same, which is to be looked at first
     * @throws ApiError
     */
    async save(): Promise<O | undefined> {
      const saved = hasChanges(now().edit) ? await own.saveMerging() : 'saved';
      return saved === 'disputed' ? undefined : now().known.object;
    },
  };
};
