import { me } from '../session/session.ts';
import type { Begun } from './begun.ts';
import { Draft } from './draft.ts';

/** In this tab others may sign in, whose drafts are theirs. */
const nameOf = (uuid: string): string => `draft ${me.value?.uuid} ${uuid}`;

/** By the uuids of their conversations: those that are open, and those of which something has yet to be kept. */
const drafts = new Map<string, Draft>();

const inTab = (name: string): object | undefined => {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
};

/** What the tab keeps of whoever is signed in, by its names there. */
const namesInTab = (): string[] => {
  try {
    return Object.keys(sessionStorage).filter((name) => name.startsWith(nameOf('')));
  } catch {
    // The browser keeps nothing.
    return [];
  }
};

const draftOf = (uuid: string): Draft => {
  const known = drafts.get(uuid);
  if (known) return known;
  const name = nameOf(uuid);
  const draft = new Draft(uuid, name, inTab(name));
  drafts.set(uuid, draft);
  return draft;
};

/**
 * A conversation is opened, with a field to write in.
 * @param show gets what was begun: what this tab knows at once, and what another device has written in its place later
 * @returns says that it is closed
 */
export const openDraft = (uuid: string, show: (begun: Begun) => void): (() => void) => {
  const draft = draftOf(uuid);
  draft.show = show;
  if (draft.begun.body !== '') show(draft.begun);
  draft.readAgain();
  return () => {
    if (draft.show !== show) return;
    draft.show = undefined;
    if (draft.isSettled && drafts.get(uuid) === draft) drafts.delete(uuid);
  };
};

/** Keeps a draft: in this tab at once, on the server a moment later; an empty one is forgotten there, at once. */
export const keepDraft = (uuid: string, begun: Begun): void => draftOf(uuid).type(begun);

/** What was written on another device stands below what was written here, or is given up. */
export const settleDraft = (uuid: string, isToStay: boolean): void => draftOf(uuid).settle(isToStay);

let isToReadAgain = false;

/** Reads anew what another device may have written, and has the server get what it has not got while it was away. */
export const readDraftsAgain = (): void => {
  if (isToReadAgain) return;
  isToReadAgain = true;
  // Once, where the channel is back and tells that there is more.
  queueMicrotask(() => {
    isToReadAgain = false;
    if (!me.value) return;
    for (const name of namesInTab()) draftOf(name.slice(nameOf('').length));
    for (const draft of drafts.values()) if (draft.show || draft.isDirty) draft.readAgain();
  });
};

/** Forgets what was begun in this tab where it was sent in another one. */
export const forgetSent = (uuid: string, sent: Begun): void => {
  if (drafts.has(uuid) || inTab(nameOf(uuid))) draftOf(uuid).takeSent(sent);
};

/**
 * Has the server get what it has yet to get, before one signs out.
 * @returns takes the member's drafts out of this tab, in which somebody else may sit next
 * @throws Error where a draft could not be kept there
 */
export const handOver = async (): Promise<() => void> => {
  for (const name of namesInTab()) draftOf(name.slice(nameOf('').length));
  await Promise.all([...drafts.values()].map((draft) => draft.handOver()));
  return () => {
    for (const draft of drafts.values()) draft.forget();
    drafts.clear();
  };
};

/** Forgets what was begun to be written in a conversation that was deleted. */
export const forgetDraft = (uuid: string): void => {
  draftOf(uuid).forget();
  drafts.delete(uuid);
};

// A page that is hidden may never be seen again; one that is seen again may have been left for another device.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') readDraftsAgain();
  else for (const draft of drafts.values()) draft.flush();
});
