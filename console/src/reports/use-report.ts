import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import type { Days } from '../ui/days.ts';

/** How far a report of some days has been read; until it is there, the last one stays. */
export interface Reading<T> {
  report: T | undefined;
  state: 'loading' | 'ready' | 'failed';
  /** What the server says of the days. */
  refusal: string;
  retry(): void;
}

/** The report of some days. @param read is another one where another report is wanted, and the same otherwise */
export const useReport = <T>({ start, end }: Days, read: (days: Days) => Promise<T>): Reading<T> => {
  const [report, setReport] = useState<T>();
  const [state, setState] = useState<Reading<T>['state']>('loading');
  const [refusal, setRefusal] = useState('');
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isWanted = true;
    setState('loading');
    setRefusal('');
    read({ start, end }).then(
      (found) => {
        if (!isWanted) return;
        setReport(() => found);
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
  }, [start, end, tries, read]);
  return { report, state, refusal, retry: () => setTries(tries + 1) };
};
