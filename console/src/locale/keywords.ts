import { de } from './keywords.de.ts';
import { en, type KeywordWords } from './keywords.en.ts';
import { wordsOf } from './locale.ts';

/** What the page of keywords says. */
export const keywordWords = wordsOf<KeywordWords>({ en, de }, 'keywords');
