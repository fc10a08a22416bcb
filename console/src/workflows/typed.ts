import { useState } from 'preact/hooks';

/**
 * A value that is typed as text: what was typed stays as it is while it means the value, such as "1." on the way to
 * "1.5".
 */
export const useTyped = <T>(
  value: T,
  format: (value: T) => string,
  parse: (text: string) => T,
): [text: string, type: (text: string) => T] => {
  const [typed, setTyped] = useState(() => format(value));
  const isStill = JSON.stringify(parse(typed)) === JSON.stringify(value);
  return [
    isStill ? typed : format(value),
    (text) => {
      setTyped(text);
      return parse(text);
    },
  ];
};

/** The lines of a text that say something. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
