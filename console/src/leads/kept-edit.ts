import { me } from '../session/session.ts';
import type { Edit } from './edit.ts';

/** What was typed and not saved, in this tab, for whoever is signed in: a reload loses none of it. */
const keyOf = (uuid: string): string => `parlor.lead.${me.value?.uuid}.${uuid}`;

/** @returns undefined where nothing was left unsaved */
export const keptEdit = (uuid: string): Edit | undefined => {
  const text = sessionStorage.getItem(keyOf(uuid));
  return text === null ? undefined : JSON.parse(text);
};

/** Keeps what was typed, or forgets it. */
export const keepEdit = (uuid: string, edit: Edit | undefined): void => {
  if (!edit) sessionStorage.removeItem(keyOf(uuid));
  else sessionStorage.setItem(keyOf(uuid), JSON.stringify(edit));
};
