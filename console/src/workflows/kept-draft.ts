import { me } from '../session/session.ts';
import type { Draft } from './compare.ts';

/** What was not saved, and what it was made of. */
export interface KeptDraft {
  base: Draft;
  mine: Draft;
}

/** Where it is kept: in this tab, for whoever is signed in now. A reload loses none of it. */
export const keyOf = (uuid: string): string => `parlor.workflow.${me.value?.uuid}.${uuid}`;

/** @returns undefined where nothing was left unsaved */
export const keptDraft = (key: string): KeptDraft | undefined => {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : JSON.parse(text);
};

/** Keeps what was edited, or forgets it. */
export const keepDraft = (key: string, kept: KeptDraft | undefined): void => {
  try {
    if (!kept) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // The browser has no room for it: it is lost with the tab, and saved as any other until then.
  }
};
