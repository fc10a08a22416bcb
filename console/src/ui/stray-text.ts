import { words } from '../locale/locale.ts';
import { isComposing, isField } from './keys.ts';
import { toast } from './toast.tsx';

/** Whether the field that is being written in has gone, and whoever writes may not have seen it. */
let isStray = false;
let isTold = false;

/** Whether the last key or press was no text: who sends, leaves or closes a field knows that it goes. */
let isDeliberate = false;

const isModified = ({ ctrlKey, metaKey }: KeyboardEvent): boolean => ctrlKey || metaKey;

const endsWriting = (event: KeyboardEvent): boolean => {
  if (isComposing(event)) return false;
  const { key, target } = event;
  const isSent = key === 'Enter' && !(target instanceof HTMLTextAreaElement);
  return key === 'Escape' || key === 'Tab' || isSent || isModified(event);
};

/** A key held down writes again, or goes on: it presses and deletes once. */
const PRESS_ONCE = new Set(['Enter', 'Delete', 'Backspace']);

const swallow = (event: KeyboardEvent): void => {
  event.preventDefault();
  event.stopImmediatePropagation();
};

const onKeyDown = (event: KeyboardEvent): void => {
  const isText = (event.key.length === 1 || event.key === 'Enter') && !isModified(event);
  isDeliberate = endsWriting(event);
  if (isField(event.target)) return;
  if (event.key === 'Escape' || event.key === 'Tab') isStray = false;
  const isLost = isStray && isText;
  if (isLost || (event.repeat && PRESS_ONCE.has(event.key))) swallow(event);
  if (!isLost) return;
  if (!isTold) toast(words.value.inbox.keysOff);
  isTold = true;
};

/** The field that had the focus is gone: what is typed from here on is text that has lost its field. */
export const loseField = (): void => {
  if (isDeliberate) return;
  isStray = true;
  isTold = false;
};

/**
 * Keeps text from becoming commands: where a field goes while somebody writes in it, letters do nothing until Escape,
 * Tab, a press, or another field. @returns what ends it
 */
export const watchStrayText = (): (() => void) => {
  const onPointer = () => {
    isStray = false;
    isDeliberate = true;
  };
  const onFocus = ({ target }: FocusEvent) => {
    if (isField(target)) isStray = false;
  };
  addEventListener('keydown', onKeyDown, true);
  addEventListener('pointerdown', onPointer, true);
  addEventListener('focusin', onFocus);
  return () => {
    removeEventListener('keydown', onKeyDown, true);
    removeEventListener('pointerdown', onPointer, true);
    removeEventListener('focusin', onFocus);
  };
};
