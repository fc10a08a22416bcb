import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';
import { isComposing } from './keys.ts';
import styles from './menu.module.css';

/** What one chooses from a menu. */
export interface Choice {
  key: string;
  label: string;
  /** Stands behind the label, such as when it is. */
  note?: string;
  isChosen?: boolean;
  onChoose(): void;
}

/**
 * A button with a list of choices below it: arrows go through them, Escape and a press beside them close it; Enter in a
 * field above them takes the first.
 */
export const Menu = ({
  label,
  icon,
  value,
  isOpen,
  onToggle,
  choices,
  children,
}: {
  label: string;
  icon: IconName;
  /** What is chosen, where it is shown. */
  value?: string | undefined;
  isOpen: boolean;
  onToggle(isOpen: boolean): void;
  choices: readonly Choice[];
  /** Stands above the choices. */
  children?: ComponentChildren;
}) => {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (!isOpen) return;
    const first = root.current?.querySelector<HTMLElement>(
      'input, [aria-checked="true"], [role^="menuitem"]',
    );
    first?.focus();
    const closeOutside = ({ target }: Event) => {
      if (!root.current?.contains(target as Node)) onToggle(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, [isOpen]);

  const close = () => {
    onToggle(false);
    button.current?.focus();
  };

  const choose = ({ onChoose }: Choice) => {
    close();
    onChoose();
  };

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    if (!isOpen || isComposing(event)) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      return close();
    }
    if (event.key === 'Tab') return onToggle(false);
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      return choices[0] && choose(choices[0]);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const items = [...(root.current?.querySelectorAll<HTMLElement>('input, [role^="menuitem"]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items.at((at + step) % items.length)?.focus();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys go to what is inside
    <div class={styles.root} ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        ref={button}
        class={styles.button}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={value === undefined ? label : `${label}: ${value}`}
        title={label}
        onClick={() => onToggle(!isOpen)}
      >
        <Icon name={icon} />
        {value !== undefined && <span class={styles.value}>{value}</span>}
      </button>
      {isOpen && (
        <div class={styles.panel}>
          {children}
          <div id={id} role="menu" aria-label={label}>
            {choices.map((choice) => {
              const { key, label, note, isChosen } = choice;
              return (
                <button
                  type="button"
                  key={key}
                  class={styles.choice}
                  {...(isChosen === undefined
                    ? { role: 'menuitem' as const }
                    : { role: 'menuitemradio' as const, 'aria-checked': isChosen })}
                  onClick={() => choose(choice)}
                >
                  <span>{label}</span>
                  {note && <span class={styles.note}>{note}</span>}
                  {isChosen && <Icon name="done" />}
                </button>
              );
            })}
          </div>
        </div>
      )}
    </div>
  );
};
