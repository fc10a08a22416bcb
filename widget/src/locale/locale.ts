import type { Texts } from './en.ts';

/** The further languages that are built in. What fetches them is a file of its own: most visitors need none. */
export const LANGUAGES = 'es pt fr de it nl pl tr ar he hi zh ja ko'.split(' ');

/** True where the language is written from right to left. */
export const isRightToLeft = (tag: string): boolean => /^(ar|he)\b/i.test(tag);

/**
 * The first of the wanted languages that is built in, by its primary subtag (`pt-BR` gets `pt`), as
 * `[wanted tag, built-in tag]`; English where none is.
 */
export function pickLocale(wanted: readonly (string | null | undefined)[]): [tag: string, builtIn: string] {
  for (const tag of wanted) {
    const primary = tag?.trim().toLowerCase().split(/[-_]/)[0] ?? '';
    // `iw` is what old systems call Hebrew.
    const builtIn = primary === 'iw' ? 'he' : primary;
    if (tag && (builtIn === 'en' || LANGUAGES.includes(builtIn))) return [canonical(tag, builtIn), builtIn];
  }
  return ['en', 'en'];
}

/** `Intl` throws on a malformed tag, and a page's `lang` may be anything. */
function canonical(tag: string, otherwise: string): string {
  try {
    return Intl.getCanonicalLocales(tag.trim().replaceAll('_', '-'))[0] ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** No further language; always the same one, so that saying it again draws nothing anew. */
export const ENGLISH: Partial<Texts> = {};

/** The texts of a further language; `ENGLISH` for English, and where a file does not load: that is better than
 *  nothing. */
export async function loadTexts(builtIn: string): Promise<Partial<Texts>> {
  try {
    const { FILES } = await import('./files.ts');
    return (await FILES[builtIn]?.())?.texts ?? ENGLISH;
  } catch {
    return ENGLISH;
  }
}
