import type { ComponentChildren } from 'preact';
import styles from './notice.module.css';

/** Something that is said where it happened: an error at once, anything else when there is a pause. */
export const Notice = ({
  kind = 'error',
  children,
}: {
  kind?: 'error' | 'good' | 'plain';
  children: ComponentChildren;
}) =>
  children ? (
    <p class={`${styles.notice} ${styles[kind]}`} role={kind === 'error' ? 'alert' : 'status'}>
      {children}
    </p>
  ) : null;
