import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { words } from '../locale/locale.ts';
import styles from './dialog.module.css';

/**
 * A modal dialog; Escape and a press beside it close it, and the focus goes back where it was. Without `onClose` only what
 * stands in it closes it.
 */
export const Dialog = ({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose?: (() => void) | undefined;
  children: ComponentChildren;
}) => {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const isGone = useRef(false);
  // Text that is marked out of the dialog ends beside it, too.
  const isBeside = useRef(false);
  useLayoutEffect(() => {
    const dialog = ref.current;
    // At once: what is typed next is meant for it, and not for the keys of the page.
    dialog?.showModal();
    return () => {
      isGone.current = true;
      // Only what is closed gives the focus back.
      dialog?.close();
    };
  }, []);
  const closed = (): void => {
    if (isGone.current) return;
    if (onClose) onClose();
    // Browsers close it at a second Escape without asking.
    else ref.current?.showModal();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <dialog
      ref={ref}
      class={styles.dialog}
      aria-labelledby={id}
      onCancel={(event) => onClose ?? event.preventDefault()}
      onClose={closed}
      onPointerDown={({ target }) => {
        isBeside.current = target === ref.current;
      }}
      onClick={({ target }) => onClose && isBeside.current && target === ref.current && ref.current?.close()}
    >
      <div class={styles.body}>
        <header>
          <h2 id={id}>{title}</h2>
          {onClose && (
            <button
              type="button"
              class={styles.close}
              aria-label={words.value.common.close}
              onClick={() => ref.current?.close()}
            >
              <svg viewBox="0 0 20 20" aria-hidden="true">
                <path d="m5 5 10 10M15 5 5 15" />
              </svg>
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
};
