/**
 * A text without case and marks, to compare it with what was typed: "cafe" for "Café", "strasse" for "Straße". It is
 * the same whatever the browser's language, of which Turkish has two kinds of i.
 */
export const folded = (text: string): string =>
  // Upper case first, so that ß and ss, ı and i meet.
  text.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase().toLowerCase();
