import { CpuBudget } from '../../platform/cpu-budget.ts';
import { fittingWords, type Line, lineKey, UNKNOWN_WIDGET } from './lines.ts';
import { isTimed, type SearchObject } from './source.ts';
import { wordsOf } from './words.ts';

/** The line of an object. */
export const lineOf = ({ at, uuid, widget = UNKNOWN_WIDGET, subjects, texts }: SearchObject): Line => ({
  key: lineKey(at, uuid),
  widget,
  subjects,
  words: fittingWords(wordsOf(texts.map(([, text]) => text).join('\n'))),
});

/**
 * The lines of objects that have words, and a time: one that is damaged keeps the words of no other back. The event loop turns
 * in between, since long texts take their time.
 */
export const linesOf = async (objects: readonly SearchObject[], account: string): Promise<Line[]> => {
  const budget = new CpuBudget(account);
  const lines: Line[] = [];
  for (const object of objects.filter(isTimed)) {
    await budget.checkpoint();
    const line = lineOf(object);
    if (line.words.length > 0) lines.push(line);
  }
  return lines;
};
