import { useEffect, useId, useRef, useState } from 'preact/hooks';
import styles from './checklist.module.css';
import { isComposing } from './keys.ts';

/** A button with a list of what is on or off below it: Escape and a press beside it close it. */
export const Checklist = ({
  label,
  items,
}: {
  label: string;
  items: readonly { key: string; label: string; isOn: boolean; onToggle(isOn: boolean): void }[];
}) => {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    root.current?.querySelector('input')?.focus();
    const closeOutside = ({ target }: Event) => {
      if (!root.current?.contains(target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen || event.key !== 'Escape' || isComposing(event)) return;
    event.stopPropagation();
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys go to what is inside
    <div class={styles.root} ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        ref={button}
        class={styles.button}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
        <svg viewBox="0 0 12 12" aria-hidden="true">
          <path d="m3 4.5 3 3 3-3" />
        </svg>
      </button>
      {isOpen && (
        <fieldset id={id} class={styles.panel}>
          <legend class="hidden">{label}</legend>
          {items.map(({ key, label, isOn, onToggle }) => (
            <label key={key}>
              <input
                type="checkbox"
                checked={isOn}
                onChange={({ currentTarget }) => onToggle(currentTarget.checked)}
              />
              {label}
            </label>
          ))}
        </fieldset>
      )}
    </div>
  );
};
