import { de } from './leads.de.ts';
import { en, type LeadWords } from './leads.en.ts';
import { wordsOf } from './locale.ts';

/** What the page of leads says. */
export const leadWords = wordsOf<LeadWords>({ en, de }, 'leads');
