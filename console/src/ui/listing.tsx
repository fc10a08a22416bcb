import type { ComponentChildren } from 'preact';
import { words } from '../locale/locale.ts';
import { Failed } from './failed.tsx';
import styles from './listing.module.css';

/** What a page lists: that it is being read, why it could not be, what to do where there is nothing, or the list. */
export const Listing = ({
  items,
  error,
  onRetry,
  empty,
  children,
}: {
  /** What is shown of what was read; undefined until it was. */
  items: readonly unknown[] | undefined;
  error: string;
  onRetry(): void;
  /** Stands there where nothing is to be shown. */
  empty: ComponentChildren;
  children: ComponentChildren;
}) => (
  <>
    <Failed error={error} onRetry={onRetry} />
    {!items && !error && <p role="status">{words.value.common.loading}</p>}
    {items && (items.length === 0 ? empty : children)}
  </>
);

/** Rows in a frame, with a line between two. */
export const Rows = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <ul class={styles.rows} aria-label={label}>
    {children}
  </ul>
);
