import { useEffect, useRef, useState } from 'preact/hooks';
import { words } from '../locale/locale.ts';
import { ApiError } from './client.ts';
import { askFilledPage } from './filled-page.ts';

/** A list of the API that is read page by page. */
export interface Pages<T> {
  /** Unknown until the first page has come. */
  items: readonly T[] | undefined;
  /** Why the last page could not be read; empty: nothing is wrong. */
  error: string;
  isBusy: boolean;
  hasMore: boolean;
  /** Reads on, or again what could not be read. */
  more(): void;
  /** Reads the newest again. */
  refresh(): void;
  /** Puts what was made just now before the rest. */
  add(item: T): void;
}

const idOf = (item: { uuid: string } | { id: string }): string => ('uuid' in item ? item.uuid : item.id);

/** Reads a list page by page; another list shows nothing of the one before. @param first the path of its first page */
export const usePages = <T extends { uuid: string } | { id: string }>(first: string): Pages<T> => {
  const [items, setItems] = useState<readonly T[]>();
  const [next, setNext] = useState<string>();
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  // Of several readings only the latest counts.
  const latest = useRef(0);
  const read = async (path: string, before: readonly T[]): Promise<void> => {
    const mine = ++latest.current;
    const isLatest = () => latest.current === mine;
    setBusy(true);
    setError('');
    try {
      const page = await askFilledPage<T>(path, undefined, isLatest);
      if (!isLatest()) return;
      const known = new Set(page.items.map(idOf));
      setItems([...before.filter((item) => !known.has(idOf(item))), ...page.items]);
      setNext(page.next);
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      if (isLatest()) setError(words.value.errors.page);
    } finally {
      if (isLatest()) setBusy(false);
    }
  };
  useEffect(() => {
    setItems(undefined);
    setNext(undefined);
    void read(first, []);
    return () => {
      latest.current++;
    };
  }, [first]);
  return {
    items,
    error,
    isBusy,
    hasMore: next !== undefined,
    more: () => void read(next ?? first, next === undefined ? [] : (items ?? [])),
    refresh: () => void read(first, []),
    add: (item) => setItems((before) => [item, ...(before ?? [])]),
  };
};
