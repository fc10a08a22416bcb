/** What of a key press these functions look at. */
type Press = Pick<KeyboardEvent, 'key' | 'code' | 'isComposing' | 'keyCode'>;

/**
 * Whether an input method has the key, such as the Enter that takes what it offers. To Safari composing has ended by
 * then, and only the key's code (229) says so.
 */
export const isComposing = (event: Pick<Press, 'isComposing' | 'keyCode'>): boolean =>
  event.isComposing || event.keyCode === 229;

/** The key as a shortcut names it: on a keyboard of another script (Кириллица) the letter that stands in its place. */
export const letterOf = ({ key, code }: Pick<Press, 'key' | 'code'>): string => {
  const isForeign = /^\p{L}$/u.test(key) && !/\p{Script=Latin}/u.test(key);
  return (isForeign && /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase()) || key;
};

/** Inputs that one does not write in. */
const UNWRITTEN = new Set([
  'button',
  'checkbox',
  'color',
  'file',
  'image',
  'radio',
  'range',
  'reset',
  'submit',
]);

/** Whether text is written in it. */
export const isField = (element: EventTarget | null | undefined): boolean =>
  element instanceof HTMLTextAreaElement ||
  (element instanceof HTMLInputElement && !UNWRITTEN.has(element.type));
