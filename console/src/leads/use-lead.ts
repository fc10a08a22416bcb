import type { Lead, SearchResult } from '@parlor/shared';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, askPage, askTagged, type Tagged } from '../api/client.ts';
import { listen } from '../api/live.ts';
import { type LeadList, pathOf } from './lead-list.ts';

/** A lead as it stands, kept right by the live channel. */
export type LoadedLead = Tagged<Lead> | 'loading' | 'gone' | 'failed';

/** Reads a lead with its entity tag, and again when it has changed. */
export const useLead = (uuid: string, list: LeadList) => {
  const [lead, setLead] = useState<LoadedLead>('loading');
  const turn = useRef(0);
  const read = async (): Promise<void> => {
    const own = ++turn.current;
    try {
      const found = await askTagged<Lead>('GET', pathOf({ uuid }));
      if (own !== turn.current) return;
      setLead(found);
      if (list.has(uuid)) list.put(found.object);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (own !== turn.current) return;
      if (error.status === 404) {
        setLead('gone');
        list.drop(uuid);
      } else setLead((before) => (typeof before === 'object' ? before : 'failed'));
    }
  };
  useEffect(() => {
    void read();
    const stop = listen({
      onFrame(frame) {
        if (frame.type === 'lead.changed' && frame.data.uuid === uuid) void read();
      },
      onResync: read,
    });
    return () => {
      turn.current++;
      stop();
    };
  }, [uuid]);
  return {
    lead,
    read,
    /** It is known otherwise how the lead stands now. */
    know(known: Tagged<Lead>) {
      turn.current++;
      setLead(known);
      if (list.has(uuid)) list.put(known.object);
    },
  };
};

/** Of leads with the same words that are found first, this many pages are looked through. */
const MAX_PAGES = 5;

/** The longest text that is looked for, and the most words (docs/limits.md#search). */
const MAX_SEARCH = 200;
const MAX_WORDS = 20;

/** The room that a lead was left in, by the search for it. @returns null where it was left in none, or is not found */
const findRoom = async ({ uuid, nickname, email, phone_number }: Lead): Promise<string | null> => {
  const text = email || phone_number || nickname;
  const q = text.slice(0, MAX_SEARCH).split(/\s+/).slice(0, MAX_WORDS).join(' ');
  let path: string | undefined = `search/?${new URLSearchParams({ kind: 'lead', q, limit: '50' })}`;
  for (let n = 0; n < MAX_PAGES && path !== undefined; n++) {
    const page: { items: SearchResult[]; next: string | undefined } = await askPage<SearchResult>(path);
    const found = page.items.find((one) => one.uuid === uuid);
    if (found) return found.conversation?.uuid ?? null;
    path = page.next;
  }
  return null;
};

/** The room that a lead was left in; undefined while it is not known. */
export const useRoom = (lead: Lead | undefined): string | null | undefined => {
  const [room, setRoom] = useState<string | null>();
  useEffect(() => {
    if (!lead) return;
    let isWanted = true;
    findRoom(lead).then(
      (found) => isWanted && setRoom(found),
      // Without it the rest is shown all the same.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [lead?.uuid]);
  return room;
};
