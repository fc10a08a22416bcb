import { computed, signal } from '@preact/signals';
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

/** The key that takes back what is said last. */
export const UNDO_KEY = 'z';

const said = signal<Said | undefined>(undefined);
let timer: number | undefined;
/** Where it is said. */
let place: HTMLElement | null = null;

/** Takes away what is said; it can't be taken back from then on. */
const dismiss = (): void => {
  clearTimeout(timer);
  const gone = said.value;
  said.value = undefined;
  gone?.onGone?.();
};

/** Whether somebody is about to press what is said: a finger leaves no pointer there. */
const isHeld = (): boolean =>
  place?.matches(':focus-within') === true ||
  (matchMedia('(hover: hover)').matches && place?.querySelector(':hover') != null);

const dismissLater = (): void => {
  clearTimeout(timer);
  timer = setTimeout(() => (isHeld() ? dismissLater() : dismiss()), STAYS_MS);
};

/**
 * Says what has been done; `undo` takes it back. It stays while it has the focus or the pointer.
 * @param onGone called once `undo` is offered no more, unless it was taken
 */
export const toast = (text: string, undo?: () => void, onGone?: () => void): void => {
  dismiss();
  said.value = { text, undo, onGone };
  dismissLater();
};

/** Takes back what is said last, where that can still be done. */
export const takeBack = (): void => {
  const current = said.value;
  if (!current?.undo) return;
  clearTimeout(timer);
  said.value = undefined;
  current.undo();
};

/** The same as a command of the palette, while there is something to take back. */
export const undoable = computed(() =>
  said.value?.undo ? [{ key: UNDO_KEY, label: words.value.inbox.undo, run: takeBack }] : [],
);

/** Ends at once what is still to be done when its undo has run out. */
export const settleToast = (): void => {
  if (said.value?.onGone) dismiss();
};

/** What is said. */
export const Toast = ({ text, onUndo }: { text: string; onUndo?: (() => void) | undefined }) => (
  <div class={styles.toast} data-layer>
    <span>{text}</span>
    {onUndo && (
      <button type="button" aria-keyshortcuts={UNDO_KEY} onClick={onUndo}>
        {words.value.inbox.undo}
      </button>
    )}
  </div>
);

/** Where it is said. */
export const Toasts = () => {
  const current = said.value;
  return (
    <div
      class={styles.place}
      role="status"
      ref={(element) => {
        place = element;
      }}
    >
      {current && <Toast text={current.text} onUndo={current.undo && takeBack} />}
    </div>
  );
};
