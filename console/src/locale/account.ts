import { de } from './account.de.ts';
import { type AccountWords, en } from './account.en.ts';
import { wordsOf } from './locale.ts';

/** What the page of the account says. */
export const accountWords = wordsOf<AccountWords>({ en, de }, 'account');
