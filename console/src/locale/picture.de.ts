import type { PictureWords } from './picture.en.ts';

/** What is said of a member's own picture in German. */
export const de: PictureWords = {
  title: 'Bild',
  hint: 'Besucher und Kollegen sehen es neben dem, was Sie schreiben.',
  choose: 'Bild wählen',
  other: 'Anderes wählen',
  save: 'Bild speichern',
  remove: 'Bild entfernen',
  ways: 'Sie können auch eines hierher ziehen oder einfügen. Genommen wird die Mitte; wo und wann es entstand, bleibt weg.',
  preview: 'So wird Ihr Bild aussehen',
  saved: 'Ihr Bild ist gespeichert.',
  removed: 'Ihr Bild ist entfernt.',
  unreadable: 'Ihr Browser findet darin kein Bild. Wählen Sie ein PNG, JPEG oder WebP.',
};
