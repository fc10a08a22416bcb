import type { Sighting } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, ask, askPage } from '../api/client.ts';

/** How often is looked while a site is waited for, and afterwards (milliseconds). */
const WAITING_MS = 3_000;
const RESTING_MS = 15_000;

/** The age of the last sighting from which on a widget counts as quiet (milliseconds). */
const QUIET_AFTER_MS = 7 * 86_400_000;

/** Whether some page has shown a widget lately. */
export const isLive = ({ last_seen_at }: Sighting, now = Date.now()): boolean =>
  now - Date.parse(last_seen_at) < QUIET_AFTER_MS;

const lastFirst = (a: Sighting, b: Sighting): number => (a.last_seen_at < b.last_seen_at ? 1 : -1);

/** A host by which a site is told: without its scheme, but where it has none of the safe one. */
export const siteOf = (origin: string): string => origin.replace(/^https:\/\//, '');

/** Where all widgets of the account are, by the widget's uuid, the site that was seen last first. @throws ApiError */
export const readAllSightings = async (): Promise<ReadonlyMap<string, readonly Sighting[]>> => {
  const all: Sighting[] = [];
  let path: string | undefined = 'sightings/?limit=1000';
  while (path !== undefined) {
    const page: { items: Sighting[]; next: string | undefined } = await askPage<Sighting>(path);
    all.push(...page.items);
    path = page.next;
  }
  return Map.groupBy(all.sort(lastFirst), ({ widget }) => widget);
};

/** Where a widget is, the site that was seen last first; looked at again while the page is seen. */
export const useSightings = (uuid: string) => {
  const [sightings, setSightings] = useState<readonly Sighting[]>();
  const [hasFailed, setFailed] = useState(false);
  const every = sightings?.length === 0 ? WAITING_MS : RESTING_MS;
  useEffect(() => {
    let isWanted = true;
    const read = () => {
      if (document.visibilityState !== 'visible') return;
      ask<Sighting[]>('GET', `sightings/?${new URLSearchParams({ widget: uuid, limit: '100' })}`).then(
        (found) => {
          if (!isWanted) return;
          setFailed(false);
          setSightings(found.sort(lastFirst));
        },
        (error) => {
          if (!(error instanceof ApiError)) throw error;
          if (isWanted) setFailed(true);
        },
      );
    };
    read();
    const timer = setInterval(read, every);
    document.addEventListener('visibilitychange', read);
    return () => {
      isWanted = false;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', read);
    };
  }, [uuid, every]);
  return { sightings, hasFailed };
};
