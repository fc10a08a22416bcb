import { signal } from '@preact/signals';
import { isComposing } from '../ui/keys.ts';

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

/** Whether a key press is meant for a field, a menu or the dialog that lies above the page, and not for the page. */
export const isTyped = (event: KeyboardEvent): boolean =>
  isComposing(event) ||
  // Whatever has the focus: a press on a dialog's text leaves it to the page.
  document.querySelector('dialog[open]') !== null ||
  (event.target instanceof HTMLElement &&
    event.target.closest('input, textarea, select, [role="menu"]') !== null);
