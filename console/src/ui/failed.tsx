import { words } from '../locale/locale.ts';
import { Button } from './button.tsx';
import styles from './failed.module.css';
import { Notice } from './notice.tsx';

/** Why something could not be read, with a button that reads it again; nothing where nothing is wrong. */
export const Failed = ({ error, onRetry }: { error: string; onRetry(): void }) => (
  <Notice>
    {error && (
      <span class={styles.failed}>
        <span>{error}</span>
        <Button onClick={onRetry}>{words.value.common.retry}</Button>
      </span>
    )}
  </Notice>
);
