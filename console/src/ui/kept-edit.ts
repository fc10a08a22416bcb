import { me } from '../session/session.ts';
import type { Edit } from './edit.ts';

/** What was typed and not saved, in this tab, for whoever is signed in: a reload loses none of it. */
const keyOf = (kind: string, uuid: string): string => `parlor.${kind}.${me.value?.uuid}.${uuid}`;

/** @returns undefined where nothing was left unsaved */
export const keptEdit = <T extends object>(kind: string, uuid: string): Edit<T> | undefined => {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(kind, uuid)) ?? 'null') ?? undefined;
  } catch {
    // The browser keeps nothing.
    return undefined;
  }
};

/** Keeps what was typed, or forgets it; where nobody is signed in any more, what was kept last stays. */
export const keepEdit = <T extends object>(kind: string, uuid: string, edit: Edit<T> | undefined): void => {
  if (!me.value) return;
  try {
    if (!edit) sessionStorage.removeItem(keyOf(kind, uuid));
    else sessionStorage.setItem(keyOf(kind, uuid), JSON.stringify(edit));
  } catch {
    // The browser has no room for it: it is lost with the tab, and saved as any other until then.
  }
};
