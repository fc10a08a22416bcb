import { useEffect, useRef, useState } from 'preact/hooks';
import { words } from '../locale/locale.ts';
import { ApiError } from './client.ts';

/** What is read of the API at once, and again when it may have changed. */
export interface Reading<T> {
  /** As it was read last; undefined until it was. */
  value: T | undefined;
  /** Why it could not be read; empty: nothing is wrong. */
  error: string;
  /** Reads it again; what was read before stays meanwhile. */
  refresh(): void;
}

/** Reads when the component is there, and whenever it is asked to: of several readings only the latest counts. */
export const useReading = <T>(read: () => Promise<T>): Reading<T> => {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState('');
  const latest = useRef(0);
  const refresh = async (): Promise<void> => {
    const mine = ++latest.current;
    setError('');
    try {
      const found = await read();
      if (latest.current === mine) setValue(() => found);
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      if (latest.current === mine) setError(words.value.errors.page);
    }
  };
  useEffect(() => {
    void refresh();
    return () => {
      latest.current++;
    };
  }, []);
  return { value, error, refresh: () => void refresh() };
};
