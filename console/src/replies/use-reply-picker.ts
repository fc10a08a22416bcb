import type { Reply } from '@parlor/shared';
import type { RefObject, TargetedKeyboardEvent } from 'preact';
import { useId, useState } from 'preact/hooks';
import { isComposing } from '../ui/keys.ts';
import { findReplies, readReplies } from './replies.ts';

/** A slash at the beginning or after a space, and what was typed of a shortcut or name, up to the caret. */
const ASKED = /(?:^|\s)\/([\p{L}\p{M}\p{N}_-]{0,32})$/u;

/** How many are offered at once; who types on finds the others. */
const OFFERED = 8;

const beforeCaret = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): string =>
  selectionStart === selectionEnd ? value.slice(0, selectionStart) : '';

/**
 * Offers saved replies while a shortcut is typed into a field: arrows go through them, Enter and Tab choose, Escape
 * leaves the text as it is.
 * @param onChoose gets the reply, after what was typed for it has been taken out of the field
 */
export const useReplyPicker = (
  field: RefObject<HTMLTextAreaElement | null>,
  onChoose: (reply: Reply) => void,
) => {
  const id = useId();
  const [asked, setAsked] = useState<string>();
  const [at, setAt] = useState(0);
  const offered = asked === undefined ? [] : findReplies(asked).slice(0, OFFERED);

  /** Looks at what stands before the caret. */
  const look = (): void => {
    const typed = field.current && ASKED.exec(beforeCaret(field.current))?.[1];
    if (typed != null && asked === undefined) readReplies().catch(() => undefined);
    if (typed !== asked) setAt(0);
    setAsked(typed ?? undefined);
  };

  const choose = (reply: Reply): void => {
    const { current } = field;
    if (!current) return;
    const before = beforeCaret(current);
    current.setSelectionRange(before.lastIndexOf('/'), before.length);
    current.setRangeText('', before.lastIndexOf('/'), before.length, 'end');
    setAsked(undefined);
    current.focus();
    onChoose(reply);
  };

  /** @returns whether the key was meant for the list */
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): boolean => {
    const { key, metaKey, ctrlKey } = event;
    if (offered.length === 0 || isComposing(event) || metaKey || ctrlKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const chosen = offered[at];
    if (step !== undefined) setAt((at + step + offered.length) % offered.length);
    else if ((key === 'Enter' || key === 'Tab') && chosen) choose(chosen);
    else if (key === 'Escape') setAsked(undefined);
    else return false;
    event.preventDefault();
    return true;
  };

  /** Asks for all of them, as the button does. */
  const begin = (): void => {
    const { current } = field;
    if (!current) return;
    current.focus();
    const needsSpace = /\S$/.test(current.value.slice(0, current.selectionStart));
    current.setRangeText(needsSpace ? ' /' : '/', current.selectionStart, current.selectionEnd, 'end');
    look();
  };

  return { id, asked, offered, at, look, choose, onKeyDown, begin };
};
