import type { ComponentChildren } from 'preact';
import styles from './empty.module.css';

/** Stands where there is nothing yet, and says what to do. */
export const Empty = ({
  title,
  hint,
  children,
}: {
  title: string;
  hint: string;
  children?: ComponentChildren;
}) => (
  <div class={styles.empty} role="status">
    <p class={styles.title}>{title}</p>
    <p>{hint}</p>
    {children}
  </div>
);
