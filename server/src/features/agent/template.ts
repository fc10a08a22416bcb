import { MAX_MESSAGE } from '@parlor/shared';

const OPEN = '{{';
const CLOSE = '}}';
const BRACE = /[{}]/g;

/** The longest name that a template can ask for, in UTF-16 code units. */
const MAX_NAME = 200;

/** The first `max` code points of a text. */
export const cut = (text: string, max = MAX_MESSAGE): string => {
  if (text.length <= max) return text;
  const points = Array.from(text.slice(0, 2 * max));
  return points.length <= max ? text.slice(0, 2 * max) : points.slice(0, max).join('');
};

/** Where the next brace stands; the end of the text when there is none. */
const nextBrace = (text: string, from: number): number => {
  BRACE.lastIndex = from;
  return BRACE.exec(text)?.index ?? text.length;
};

/**
 * Fills `{{name}}` from what is known, as plain text: what stands in a value is never expanded again, and an unknown
 * name is empty. The result is at most as long as a message may be. Each character is looked at once, so the time is
 * linear whatever the template holds.
 */
export const fill = (template: string, variables: ReadonlyMap<string, string>): string => {
  let filled = '';
  let copied = 0;
  for (let open = template.indexOf(OPEN); open !== -1; ) {
    const start = open + OPEN.length;
    const end = nextBrace(template, start);
    const name = template.slice(start, end).trim();
    const isPlaceholder = end > start && name.length <= MAX_NAME && template.startsWith(CLOSE, end);
    if (isPlaceholder) {
      filled += template.slice(copied, open) + (variables.get(name) ?? '');
      copied = end + CLOSE.length;
      // A code point has at most two units: more would only be cut off again.
      if (filled.length > 2 * MAX_MESSAGE) break;
    }
    // In `{{{name}}}` the placeholder begins with the second brace.
    open = template.indexOf(OPEN, isPlaceholder ? copied : end === start ? open + 1 : end);
  }
  return cut(filled + template.slice(copied));
};
