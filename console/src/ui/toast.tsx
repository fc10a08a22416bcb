import { signal } from '@preact/signals';
import { words } from '../locale/locale.ts';
import styles from './toast.module.css';

/** What has just been done, and what takes it back. */
interface Said {
  text: string;
  undo?: (() => void) | undefined;
  /** Called when it can't be taken back any more. */
  onGone?: (() => void) | undefined;
}

const STAYS_MS = 6_000;

const said = signal<Said | undefined>(undefined);
let timer: number | undefined;

/** Takes away what is said; it can't be taken back from then on. */
const dismiss = (): void => {
  clearTimeout(timer);
  const gone = said.value;
  said.value = undefined;
  gone?.onGone?.();
};

/**
 * Says what has been done; `undo` takes it back.
 * @param onGone called once `undo` is offered no more, unless it was taken
 */
export const toast = (text: string, undo?: () => void, onGone?: () => void): void => {
  dismiss();
  said.value = { text, undo, onGone };
  timer = setTimeout(dismiss, STAYS_MS);
};

/** Ends at once what is still to be done when its undo has run out. */
export const settleToast = (): void => {
  if (said.value?.onGone) dismiss();
};

/** What is said. */
export const Toast = ({ text, onUndo }: { text: string; onUndo?: (() => void) | undefined }) => (
  <div class={styles.toast}>
    <span>{text}</span>
    {onUndo && (
      <button type="button" onClick={onUndo}>
        {words.value.inbox.undo}
      </button>
    )}
  </div>
);

/** Where it is said. */
export const Toasts = () => {
  const current = said.value;
  const undo = () => {
    clearTimeout(timer);
    said.value = undefined;
    current?.undo?.();
  };
  return (
    <div class={styles.place} role="status">
      {current && <Toast text={current.text} onUndo={current.undo && undo} />}
    </div>
  );
};
