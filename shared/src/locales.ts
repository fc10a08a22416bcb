/** The languages that the widget speaks, by their primary subtag (RFC 5646). */
export const LOCALES = [
  'en',
  'es',
  'pt',
  'fr',
  'de',
  'it',
  'nl',
  'pl',
  'tr',
  'ar',
  'he',
  'hi',
  'zh',
  'ja',
  'ko',
] as const;
export type Locale = (typeof LOCALES)[number];

/**
 * The first of the wanted language tags whose primary subtag is spoken (`pt-BR` gets `pt`; `iw` is what old systems
 * call Hebrew), as RFC 4647's lookup does it; English where none is.
 */
export const lookupLocale = (wanted: readonly string[]): Locale => {
  for (const tag of wanted) {
    const primary = tag.trim().toLowerCase().split(/[-_]/, 1)[0];
    const found = LOCALES.find((locale) => locale === (primary === 'iw' ? 'he' : primary));
    if (found) return found;
  }
  return 'en';
};

/** Whether the language, a primary subtag, is written from right to left. */
export const isRightToLeft = (locale: string): boolean => locale === 'ar' || locale === 'he';
