import type { Draft } from '@parlor/shared';
import { ask } from '../api/client.ts';
import { me } from '../session/session.ts';
import { inTurn } from './in-turn.ts';

/** What was begun to be written of an answer or a note. */
export type Begun = Pick<Draft, 'body' | 'is_note'>;

const NOTHING: Begun = { body: '', is_note: false };

/** The server gets what is typed at most this often (milliseconds). */
const KEEP_EVERY_MS = 1_000;

/** In this tab others may sign in, whose drafts are theirs. */
const key = (uuid: string): string => `draft ${me.value?.uuid} ${uuid}`;
/** What the server has yet to get. */
const waiting = new Map<string, { timer: number; begun: Begun }>();

const inTab = (uuid: string): Begun | undefined => {
  try {
    return JSON.parse(sessionStorage.getItem(key(uuid)) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
};

const putIntoTab = (uuid: string, begun: Begun): void => {
  try {
    sessionStorage.setItem(key(uuid), JSON.stringify(begun));
  } catch {
    // The browser keeps nothing: then the server alone does.
  }
};

/** What this tab knows of a draft at once; undefined: the server has to be asked, where another browser may have begun. */
export const knownDraft = (uuid: string): Begun | undefined => {
  const begun = inTab(uuid);
  return begun?.body || waiting.has(uuid) ? begun : undefined;
};

/** The member's draft, wherever it was begun; an empty one where it can't be read now. */
export const readDraft = async (uuid: string): Promise<Begun> => {
  try {
    const { body, is_note } = await ask<Draft>('GET', `conversations/${uuid}/draft/`);
    return { body, is_note };
  } catch {
    return NOTHING;
  }
};

const putOnServer = async (uuid: string): Promise<void> => {
  const { timer, begun } = waiting.get(uuid) ?? {};
  clearTimeout(timer);
  waiting.delete(uuid);
  // What could not be kept there is kept with the next letter. A page that is closed still sends it.
  const request = () => ask('PUT', `conversations/${uuid}/draft/`, begun, { keepalive: true });
  await inTurn([`draft ${uuid}`], request).catch(() => undefined);
};

/** Keeps a draft: in this tab at once, on the server a moment later; an empty one is forgotten there, at once. */
export const keepDraft = (uuid: string, begun: Begun): void => {
  putIntoTab(uuid, begun);
  clearTimeout(waiting.get(uuid)?.timer);
  waiting.set(uuid, { timer: setTimeout(() => putOnServer(uuid), KEEP_EVERY_MS), begun });
  // What was sent would be offered in another tab until then.
  if (begun.body === '') void putOnServer(uuid);
};

/** Whether what was begun is what was sent: it would go out twice. */
export const isSent = (begun: Begun, sent: Begun): boolean =>
  begun.body.trim() === sent.body && begun.is_note === sent.is_note;

/** Forgets what was begun in this tab where it was sent in another one. */
export const forgetSent = (uuid: string, sent: Begun): void => {
  const begun = inTab(uuid);
  if (begun && isSent(begun, sent)) forgetDraft(uuid);
};

/**
 * Has the server get what it has yet to get, before one signs out.
 * @returns takes the member's drafts out of this tab, in which somebody else may sit next
 */
export const handOver = async (): Promise<() => void> => {
  const own = key('');
  await Promise.all([...waiting.keys()].map(putOnServer));
  return () => {
    try {
      for (const name of Object.keys(sessionStorage))
        if (name.startsWith(own)) sessionStorage.removeItem(name);
    } catch {
      // The browser keeps nothing.
    }
  };
};

/** Forgets what was begun to be written in a conversation that was deleted. */
export const forgetDraft = (uuid: string): void => {
  clearTimeout(waiting.get(uuid)?.timer);
  waiting.delete(uuid);
  try {
    sessionStorage.removeItem(key(uuid));
  } catch {
    // The browser keeps nothing.
  }
};

// A page that is hidden may never be seen again.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') for (const uuid of waiting.keys()) void putOnServer(uuid);
});
