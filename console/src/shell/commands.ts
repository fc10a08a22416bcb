import { signal } from '@preact/signals';

/** Something that can be done here, found by its words or its key. */
export interface Command {
  label: string;
  /** The key that does the same. */
  key?: string;
  run(): void;
}

/** What the page that is shown can do. */
export const commands = signal<readonly Command[]>([]);

/** Offers commands while a page is shown. @returns what takes them away */
export const offer = (own: readonly Command[]): (() => void) => {
  commands.value = own;
  return () => {
    if (commands.value === own) commands.value = [];
  };
};

/** Whether a key press is meant for a field, a dialog or a menu, and not for the page. */
export const isTyped = ({ target, isComposing }: KeyboardEvent): boolean =>
  isComposing ||
  (target instanceof HTMLElement &&
    target.closest('input, textarea, select, dialog, [role="menu"]') !== null);
