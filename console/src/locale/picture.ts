import { wordsOf } from './locale.ts';
import { de } from './picture.de.ts';
import { en, type PictureWords } from './picture.en.ts';

/** What the profile says of a member's picture. */
export const pictureWords = wordsOf<PictureWords>({ en, de });
