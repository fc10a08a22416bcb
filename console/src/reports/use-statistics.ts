import type { LeadGroup, LeadStatistics } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, ask } from '../api/client.ts';
import { type Days, dayQuery, daysBefore } from '../ui/days.ts';
import { GROUPS, type Group } from './group-table.tsx';

/** Of each group, this many are shown. */
const MOST = 8;

/** What is counted in some days. */
export interface Report {
  days: LeadStatistics;
  groups: Record<Group, LeadStatistics>;
  /** How many there were in as many days before. */
  before: number;
}

const count = (group: LeadGroup, days: Days): Promise<LeadStatistics> => {
  const query = new URLSearchParams({ group_by: group, limit: String(MOST), ...dayQuery(days) });
  return ask<LeadStatistics>('GET', `leads/stats/?${query}`);
};

const read = async (asked: Days): Promise<Report> => {
  // The server says which days it has taken where one of them was open.
  const days = await count('day', asked);
  const range = { start: days.start_date, end: days.end_date };
  const [before, ...groups] = await Promise.all([
    count('device', daysBefore(range)),
    ...GROUPS.map((group) => count(group, range)),
  ]);
  const byGroup = Object.fromEntries(GROUPS.map((group, n) => [group, groups[n]]));
  return { days, groups: byGroup as Report['groups'], before: before.total };
};

/** The statistics of some days; until they are there, those of the last ones. */
export const useStatistics = ({ start, end }: Days) => {
  const [report, setReport] = useState<Report>();
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
  /** What the server says of the days. */
  const [refusal, setRefusal] = useState('');
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isWanted = true;
    setState('loading');
    setRefusal('');
    read({ start, end }).then(
      (found) => {
        if (!isWanted) return;
        setReport(found);
        setState('ready');
      },
      (error) => {
        if (!(error instanceof ApiError)) throw error;
        if (!isWanted) return;
        setRefusal(error.fields.start_date ?? error.fields.end_date ?? '');
        setState('failed');
      },
    );
    return () => {
      isWanted = false;
    };
  }, [start, end, tries]);
  return { report, state, refusal, retry: () => setTries(tries + 1) };
};
