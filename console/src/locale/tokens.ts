import { wordsOf } from './locale.ts';
import { de } from './tokens.de.ts';
import { en, type TokenWords } from './tokens.en.ts';

/** What the page of tokens for programs says. */
export const tokenWords = wordsOf<TokenWords>({ en, de }, 'tokens');
