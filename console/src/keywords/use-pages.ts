import { useEffect, useState } from 'preact/hooks';
import { ApiError, askPage } from '../api/client.ts';
import { words } from '../locale/locale.ts';

/** A list of the API, read page by page. @param first the path of its first page */
export const usePages = <T extends { uuid: string }>(first: string) => {
  const [items, setItems] = useState<readonly T[]>();
  const [next, setNext] = useState<string>();
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const read = async (path: string, before: readonly T[]): Promise<void> => {
    setBusy(true);
    setError('');
    try {
      const page = await askPage<T>(path);
      const known = new Set(page.items.map(({ uuid }) => uuid));
      setItems([...before.filter(({ uuid }) => !known.has(uuid)), ...page.items]);
      setNext(page.next);
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(words.value.errors.page);
    }
    setBusy(false);
  };
  useEffect(() => void read(first, []), [first]);
  return {
    items,
    error,
    isBusy,
    hasMore: next !== undefined,
    /** Reads on, or again what could not be read. */
    more: () => void read(next ?? first, items ?? []),
    /** Reads the newest again. */
    refresh: () => void read(first, []),
    /** Puts what was made just now before the rest. */
    add: (item: T) => setItems((before) => [item, ...(before ?? [])]),
  };
};
