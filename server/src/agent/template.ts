const NAME = /\{\{\s*([^{}]{1,200}?)\s*\}\}/g;

/** The longest text that a message holds (contract 3), in code points. */
const MAX_TEXT = 10_000;

/** The first `max` code points of a text. */
export const cut = (text: string, max = MAX_TEXT): string => {
  if (text.length <= max) return text;
  const points = Array.from(text.slice(0, 2 * max));
  return points.length <= max ? text.slice(0, 2 * max) : points.slice(0, max).join('');
};

/**
 * Fills `{{name}}` from what is known, as plain text (contract 6): what stands in a value is never expanded
 * again, and an unknown name is empty. The result is at most as long as a message may be.
 */
export const fill = (template: string, variables: ReadonlyMap<string, string>): string =>
  cut(template.replace(NAME, (_, name: string) => variables.get(name) ?? ''));
