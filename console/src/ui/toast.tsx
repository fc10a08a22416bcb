import { signal } from '@preact/signals';
import { words } from '../locale/locale.ts';
import styles from './toast.module.css';

/** What has just been done, and what takes it back. */
interface Said {
  text: string;
  undo?: (() => void) | undefined;
}

const STAYS_MS = 6_000;

const said = signal<Said | undefined>(undefined);
let timer: number | undefined;

/** Says what has been done; `undo` takes it back. */
export const toast = (text: string, undo?: () => void): void => {
  clearTimeout(timer);
  said.value = { text, undo };
  timer = setTimeout(() => {
    said.value = undefined;
  }, STAYS_MS);
};

/** Where it is said. */
export const Toasts = () => {
  const current = said.value;
  const undo = () => {
    current?.undo?.();
    said.value = undefined;
  };
  return (
    <div class={styles.place} role="status">
      {current && (
        <div class={styles.toast}>
          <span>{current.text}</span>
          {current.undo && (
            <button type="button" onClick={undo}>
              {words.value.inbox.undo}
            </button>
          )}
        </div>
      )}
    </div>
  );
};
