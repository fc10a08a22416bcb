import type { Side } from '@parlor/shared';
import { z } from 'zod';
import { count, identifier, listOf, open } from '../../database/stored-shapes.ts';

/** What counts of a message: who said it, and when. */
export interface Said {
  id: string;
  at: Date;
  sender: Side;
  /** The member who wrote it. */
  author?: string | undefined;
}

/** Who waits for whom after some messages. */
export interface Waiting {
  /** Who of visitor and people spoke last; null: neither has. */
  sender: 'visitor' | 'person' | null;
  /** When that side began to speak without another in between. */
  since: Date | null;
  /** A bot has spoken since: whoever speaks next begins anew. */
  isInterrupted: boolean;
  /** When a member first answered the visitor. */
  answered: Date | null;
}

/**
 * The messages of a conversation that have been taken in. The latest ones are kept one by one, so that one that comes
 * twice, or after a later one, changes nothing that is right.
 */
export interface Heard {
  /** After all messages but the recent ones. */
  before: Waiting;
  /** The last of those; null: there are none. */
  beforeId: string | null;
  beforeAt: Date | null;
  /** How many those are; undefined where an older version has not counted. */
  settled?: number | undefined;
  /** Oldest first. */
  recent: Said[];
}

/** The same as others can check it (database/collection-data.ts). */
export const HEARD = open({
  before: open({
    sender: z.enum(['visitor', 'person']).nullable(),
    since: z.date().nullable(),
    isInterrupted: z.boolean(),
    answered: z.date().nullable(),
  }),
  beforeId: identifier().nullable(),
  beforeAt: z.date().nullable(),
  settled: count().optional(),
  recent: listOf(
    open({
      id: identifier(),
      at: z.date(),
      sender: z.enum(['visitor', 'person', 'bot']),
      author: identifier().optional(),
    }),
  ),
});

/** How many messages are kept one by one: more than come out of order at once. */
const RECENT = 16;

export const NOBODY_WAITS: Waiting = { sender: null, since: null, isInterrupted: false, answered: null };

export const NOTHING_HEARD: Heard = { before: NOBODY_WAITS, beforeId: null, beforeAt: null, recent: [] };

/** The order of a conversation: by time, then by uuid. */
const order = (a: Pick<Said, 'id' | 'at'>, b: Pick<Said, 'id' | 'at'>): number =>
  a.at.getTime() - b.at.getTime() || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

const after = (waiting: Waiting, { sender, at }: Said): Waiting => {
  if (sender === 'bot') return { ...waiting, isInterrupted: true };
  const goesOn = waiting.sender === sender && !waiting.isInterrupted;
  const isAnswer = sender === 'person' && waiting.sender === 'visitor';
  return {
    sender,
    since: goesOn ? waiting.since : at,
    isInterrupted: false,
    answered: waiting.answered ?? (isAnswer ? at : null),
  };
};

/** Who waits for whom now. */
export const waitingOf = ({ before, recent }: Heard): Waiting => recent.reduce(after, before);

/** Whether something that fits was said after a message, of what is kept one by one. */
export const isSaidAfter = ({ recent }: Heard, said: Said, fits: (one: Said) => boolean): boolean =>
  recent.some((one) => fits(one) && order(one, said) > 0);

/** The last message that is settled; undefined: none is. */
export const settledIn = ({ beforeId: id, beforeAt: at }: Heard): Pick<Said, 'id' | 'at'> | undefined =>
  id !== null && at !== null ? { id, at } : undefined;

/** The latest message; undefined where there is none. */
export const latestOf = ({ recent }: Heard): Said | undefined => recent.at(-1);

/** Whether a message has been taken in; undefined where it is older than those that are kept one by one. */
const isKnown = (heard: Heard, said: Said): boolean | undefined => {
  if (heard.recent.some(({ id }) => id === said.id)) return true;
  const settled = settledIn(heard);
  return settled && order(said, settled) <= 0 ? undefined : false;
};

/** What taking some messages in has led to. */
export interface Taken<T extends Said = Said> {
  heard: Heard;
  /** Those that were new, oldest first. */
  added: T[];
  /** Those that are too old to tell whether they are new: the conversation has to be read anew. */
  tooOld: T[];
}

/** Takes messages in; those that have been are left out. */
export const take = <T extends Said>(heard: Heard, said: readonly T[]): Taken<T> => {
  const added: T[] = [];
  const tooOld: T[] = [];
  const seen = new Set<string>();
  for (const one of said) {
    const known = isKnown(heard, one);
    if (known === undefined) tooOld.push(one);
    else if (!known && !seen.has(one.id)) added.push(one);
    seen.add(one.id);
  }
  if (added.length === 0) return { heard, added, tooOld };
  added.sort(order);
  const asKept = added.map(
    ({ id, at, sender, author }): Said => ({ id, at, sender, ...(author && { author }) }),
  );
  const all = [...heard.recent, ...asKept].sort(order);
  const settling = all.slice(0, -RECENT);
  const last = settling.at(-1);
  const before = heard.beforeId === null ? 0 : heard.settled;
  return {
    heard: {
      before: settling.reduce(after, heard.before),
      beforeId: last?.id ?? heard.beforeId,
      beforeAt: last?.at ?? heard.beforeAt,
      ...(before !== undefined && { settled: before + settling.length }),
      recent: all.slice(-RECENT),
    },
    added,
    tooOld,
  };
};
