import type { Lead } from '@parlor/shared';
import { MAX_PAGE_SIZE } from '@parlor/shared/limits';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { widgetNameOf } from '../inbox/people.ts';
import { leadWords } from '../locale/leads.ts';
import { count, words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { isoDay } from '../ui/days.ts';
import { settleRemovals } from '../ui/removal.ts';
import { toast } from '../ui/toast.tsx';
import { BYTE_ORDER_MARK, csvLine } from './csv.ts';
import styles from './download.module.css';
import { type Filter, readLeads } from './filter.ts';

const COLUMNS = [
  'created_at',
  'nickname',
  'email',
  'phone_number',
  'from_page_title',
  'referrer',
  'device',
  'widget',
  'uuid',
] as const satisfies readonly (keyof Lead)[];

const cellOf = (lead: Lead, column: (typeof COLUMNS)[number]): string =>
  column === 'widget' ? widgetNameOf(lead.widget) : lead[column];

/** A download that has begun: its parts so far, and where it goes on. */
interface Progress {
  parts: Blob[];
  read: number;
  next: string | undefined;
}

const save = (parts: Blob[]): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, { type: 'text/csv;charset=utf-8' }));
  link.download = `leads-${isoDay(Date.now())}.csv`;
  link.click();
  // The browser has taken hold of it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

/** Waits as long as the server has asked for. */
const pause = (seconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

/** The next page; asked for again where the server wants a pause. */
const readOn = async (filter: Filter, next: string | undefined) => {
  for (;;) {
    try {
      return await readLeads(filter, next, MAX_PAGE_SIZE);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error;
      await pause(error.retryAfter || 1);
    }
  }
};

/** Saves all leads of a filter as CSV, page by page: how far it is stands there, and it can be stopped. */
export const Download = ({ filter }: { filter: Filter }) => {
  const t = leadWords.value;
  const [progress, setProgress] = useState<Progress>();
  const [isFailed, setFailed] = useState(false);
  const turn = useRef(0);
  const stop = () => {
    turn.current++;
    setFailed(false);
    setProgress(undefined);
  };
  useEffect(() => stop, []);

  const run = async (from: Progress | undefined) => {
    const own = ++turn.current;
    setFailed(false);
    const heads = COLUMNS.map((name) => (name === 'uuid' ? 'ID' : t.names[name]));
    let current = from ?? { parts: [new Blob([BYTE_ORDER_MARK + csvLine(heads)])], read: 0, next: undefined };
    setProgress(current);
    try {
      if (!from) await settleRemovals();
      do {
        const { items, next } = await readOn(filter, current.next);
        if (own !== turn.current) return;
        const lines = items.map((lead) => csvLine(COLUMNS.map((name) => cellOf(lead, name))));
        current = { parts: [...current.parts, new Blob(lines)], read: current.read + items.length, next };
        setProgress(current);
      } while (current.next !== undefined);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (own === turn.current) setFailed(true);
      return;
    }
    save(current.parts);
    toast(t.downloaded(count(current.read)));
    setProgress(undefined);
  };

  if (!progress) return <Button onClick={() => void run(undefined)}>{t.download}</Button>;
  const read = count(progress.read);
  return (
    <div class={styles.progress}>
      <p role={isFailed ? 'alert' : 'status'} class={isFailed ? styles.failed : ''}>
        {isFailed ? t.interrupted(read) : t.downloading(read)}
      </p>
      {isFailed && <Button onClick={() => void run(progress)}>{t.goOn}</Button>}
      <Button onClick={stop}>{isFailed ? words.value.common.cancel : t.stop}</Button>
    </div>
  );
};
