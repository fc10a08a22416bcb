import type { Lead, SearchResult } from '@parlor/shared';
import { ApiError, ask, askPage, type Page } from '../api/client.ts';
import { askFilledPage } from '../api/filled-page.ts';
import { type Days, dayQuery } from '../ui/days.ts';

/** Which leads are shown. */
export interface Filter {
  /** Words of name, e-mail address or phone number; empty: all. */
  text: string;
  days: Days;
}

/** Of what is found by words, each lead is read by itself. */
const FOUND_AT_ONCE = 25;

const firstPage = ({ text, days }: Filter, limit: number): string =>
  text === ''
    ? `leads/?${new URLSearchParams({ limit: String(limit), ...dayQuery(days) })}`
    : `search/?${new URLSearchParams({ kind: 'lead', q: text, limit: String(FOUND_AT_ONCE) })}`;

/** Whether a moment is one of these days, in UTC. */
export const isWithin = ({ start, end }: Days, at: string): boolean => {
  const day = at.slice(0, 10);
  return (start === '' || day >= start) && (end === '' || day <= end);
};

/** @returns undefined where there is none any more */
const readLead = async (uuid: string): Promise<Lead | undefined> => {
  try {
    return await ask<Lead>('GET', `leads/${uuid}/`);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
};

const readFound = async (path: string, { start, end }: Days): Promise<Page<Lead>> => {
  const { items, next } = await askPage<SearchResult>(path);
  const wanted = items.filter(({ at }) => isWithin({ start, end }, at));
  const leads = await Promise.all(wanted.map(({ uuid }) => readLead(uuid)));
  const last = items.at(-1)?.at.slice(0, 10);
  // What comes further down is older still.
  const isPast = last !== undefined && last < start;
  return { items: leads.filter((lead) => lead !== undefined), next: isPast ? undefined : next };
};

/**
 * Reads a page of leads, newest first.
 * @param from where the page is; the first one unless given
 * @throws ApiError
 */
export const readLeads = async (
  filter: Filter,
  from: string | undefined,
  limit: number,
): Promise<Page<Lead>> => {
  const first = from ?? firstPage(filter, limit);
  if (filter.text === '') return askPage<Lead>(first);
  return askFilledPage(first, (path) => readFound(path, filter.days));
};
