import { MAX_QUERY_WORDS } from '@parlor/shared';
import { invalid } from '../../platform/errors.ts';
import { fold } from '../../platform/folding.ts';
import { wordsIn } from './words.ts';

/** A word that is looked for. */
export interface Term {
  text: string;
  /** Whether longer words that begin with it count as well. */
  isPrefix: boolean;
}

/**
 * What a text asks for: each of its words, the last one as a prefix.
 * @throws ParlorError `invalid` when it has no word, or too many.
 */
export const readQuery = (q: string): Term[] => {
  const words = [...wordsIn(fold(q))];
  if (words.length === 0) throw invalid({ q: ['Give at least one word, number or emoji to look for.'] });
  // A pair goes on where the one before it ended in the middle.
  const runs = words.filter(({ start }, index) => start >= (words[index - 1]?.end ?? 0));
  if (runs.length > MAX_QUERY_WORDS) throw invalid({ q: [`Give no more than ${MAX_QUERY_WORDS} words.`] });
  const terms = new Map<string, Term>();
  for (const [index, { text, isUnspaced, isWhole }] of words.entries()) {
    const isLast = index === words.length - 1;
    // A run's last character is part of the pair before it; alone it may stand anywhere in a run.
    const isAlone = isUnspaced && [...text].length === 1;
    if (isAlone && words[index - 1]?.end === words[index]?.end) continue;
    const isPrefix = isAlone || (isLast && !isUnspaced && !isWhole);
    // Of two that are the same the stricter one decides.
    terms.set(text, { text, isPrefix: isPrefix && (terms.get(text)?.isPrefix ?? true) });
  }
  return [...terms.values()];
};
