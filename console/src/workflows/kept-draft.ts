import { me } from '../session/session.ts';
import type { Draft } from './compare.ts';

/** What was not saved, and what it was made of. */
export interface KeptDraft {
  base: Draft;
  mine: Draft;
}

/** In this tab, for whoever is signed in: a reload loses none of it. */
const keyOf = (uuid: string): string => `parlor.workflow.${me.value?.uuid}.${uuid}`;

/** @returns undefined where nothing was left unsaved */
export const keptDraft = (uuid: string): KeptDraft | undefined => {
  const text = sessionStorage.getItem(keyOf(uuid));
  return text === null ? undefined : JSON.parse(text);
};

/** Keeps what was edited, or forgets it. */
export const keepDraft = (uuid: string, kept: KeptDraft | undefined): void => {
  try {
    if (!kept) sessionStorage.removeItem(keyOf(uuid));
    else sessionStorage.setItem(keyOf(uuid), JSON.stringify(kept));
  } catch {
    // The browser has no room for it: it is lost with the tab, and saved as any other until then.
  }
};
