/** What is being written about an object, of which only the fields are held that may be changed. */
export interface Edit<T extends object> {
  /** The object as the server has it, as far as is known here. */
  base: T;
  mine: T;
  /** What somebody else has written into fields that are being changed here. */
  theirs: Partial<T>;
}

const namesOf = <T extends object>(object: T) => Object.keys(object) as (keyof T)[];

/** Starts with what stands there. */
export const editOf = <T extends object>(object: T): Edit<T> => ({
  base: { ...object },
  mine: { ...object },
  theirs: {},
});

/** The fields that differ from what the server has. */
export const changesOf = <T extends object>({ base, mine }: Edit<T>): Partial<T> => {
  const changes: Partial<T> = {};
  for (const name of namesOf(base)) if (mine[name] !== base[name]) changes[name] = mine[name];
  return changes;
};

/**
 * Goes on from another state of the object (a three-way merge by field): what was not changed here follows it, what was
 * is kept, and what both have changed is shown beside it.
 */
export const rebase = <T extends object>({ base, mine, theirs }: Edit<T>, current: T): Edit<T> => {
  const next = editOf(current);
  for (const name of namesOf(current)) {
    if (mine[name] === base[name]) continue;
    next.mine[name] = mine[name];
    const isTheirs = current[name] !== base[name] || theirs[name] !== undefined;
    if (isTheirs && current[name] !== mine[name]) next.theirs[name] = current[name];
  }
  return next;
};

/**
 * Goes on when what was written has been saved; what was written since stays unsaved.
 * @param sent as it stood when it was sent
 */
export const saved = <T extends object>({ mine: sent }: Edit<T>, { mine }: Edit<T>, current: T): Edit<T> =>
  rebase({ base: sent, mine, theirs: {} }, current);

/** Whether anything is written that the server has not. */
export const hasChanges = <T extends object>(edit: Edit<T>): boolean =>
  Object.keys(changesOf(edit)).length > 0;

/** Whether others have written something into fields that are being changed here that was not shown before. */
export const hasMoreTheirs = <T extends object>(before: Edit<T>, now: Edit<T>): boolean =>
  namesOf(now.theirs as T).some((name) => now.theirs[name] !== before.theirs[name]);

/** Ends a dispute about a field. */
export const choose = <T extends object>(edit: Edit<T>, name: keyof T, isTheirs: boolean): Edit<T> => {
  const { [name]: value, ...theirs } = edit.theirs;
  const mine = isTheirs ? { ...edit.mine, [name]: value } : edit.mine;
  return { ...edit, mine, theirs: theirs as Partial<T> };
};

/** Whether two say the same. */
export const isSame = <T extends object>(a: T, b: T): boolean =>
  namesOf(a).every((name) => a[name] === b[name]);
