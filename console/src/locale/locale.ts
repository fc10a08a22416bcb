import { isRightToLeft, type Locale, lookupLocale } from '@parlor/shared/locales';
import { computed, signal } from '@preact/signals';
import { want } from '../api/chunk.ts';
import { en, type Words } from './en.ts';
import { FILES } from './files.ts';
import type { PageTitle } from './frame.ts';

/** The console's language with its words, which change at once. */
const spoken = signal<{ tag: Locale; words: Words }>({ tag: 'en', words: en });

/** The language of the console, as a primary subtag (BCP 47). */
export const language = computed(() => spoken.value.tag);

/** What the console says. */
export const words = computed(() => spoken.value.words);

/** Says on the page which language it is in. */
const tellPage = (): void => {
  document.documentElement.lang = language.value;
  document.documentElement.dir = isRightToLeft(language.value) ? 'rtl' : 'ltr';
};

/**
 * Loads the words of the browser's first language that the console speaks. Where its file does not come at once it is English
 * until it has: that is better than nothing.
 */
export const loadLanguage = async (): Promise<void> => {
  const tag = lookupLocale(navigator.languages);
  if (tag !== 'en') {
    await new Promise<void>((isTried) => {
      const load = () => FILES[tag]().finally(isTried);
      void want(load, (loaded) => {
        spoken.value = { tag, words: loaded };
        tellPage();
      });
    });
  }
  tellPage();
};

/** The language of what a page says beside its title: English where only the frame is translated. */
export const pageLanguage = computed(() => (language.value === 'de' ? 'de' : 'en'));

/**
 * The words of one page, which are loaded with it.
 * @param title by what name the navigation has the page: its title, where nothing else of it is translated
 */
export const wordsOf = <T extends object>(texts: { en: T; de: T }, title?: PageTitle) =>
  computed<T>(() => {
    if (language.value === 'en' || language.value === 'de') return texts[language.value];
    return title ? { ...texts.en, title: words.value.shell[title] } : texts.en;
  });

/** What the server has said, in the console's language where it knows the sentence. */
export const inOwnWords = (text: string): string => words.value.server[text] ?? text;

/** Several things in one sentence: "a, b and c". */
export const listed = (things: readonly string[]): string =>
  new Intl.ListFormat(language.value).format(things);

/** To make a format takes longer than to use it a hundred times: each is made once, by language and what it shows. */
const cached = <T, O extends object>(make: (language: string, options: O) => T): ((options: O) => T) => {
  const formats = new Map<string, T>();
  return (options) => {
    const key = language.value + JSON.stringify(options);
    const known = formats.get(key) ?? make(language.value, options);
    formats.set(key, known);
    return known;
  };
};

const dateFormat = cached(
  (tag, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(tag, options),
);
const numberFormat = cached((tag, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(tag, options));
const agoFormat = cached(
  (tag, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(tag, options),
);

/** A day and time in the language's own way: "22 Nov, 09:30". */
export const moment = (iso: string): string =>
  dateFormat({ dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));

/** A day and time in as little room as they take, with the year where it is not this one: "22 Nov, 09:30". */
export const shortMoment = (iso: string, now = new Date()): string => {
  const date = new Date(iso);
  const year = date.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const);
  return dateFormat({
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    ...year,
  }).format(date);
};

/** A number in the language's own way. */
export const count = (value: number): string => numberFormat({}).format(value);

const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** How long ago something was: "5 minutes ago". */
export const ago = (iso: string, now = Date.now()): string => {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1_000);
  const [unit, size] = STEPS.find(([, size]) => seconds >= size) ?? ['second', 1];
  return agoFormat({ numeric: 'auto' }).format(-Math.floor(seconds / size) || 0, unit);
};

/** The time of a day: "09:30". */
export const timeOfDay = (iso: string): string => dateFormat({ timeStyle: 'short' }).format(new Date(iso));

/** A day, with its year where that is not this one: "Sunday, 22 November". */
export const day = (iso: string, now = new Date()): string => {
  const date = new Date(iso);
  const year = date.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const);
  return dateFormat({
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...year,
  }).format(date);
};

/** A browser's first format of dates takes 50 ms on a slow phone: to be made before a conversation's days are drawn. */
export const prepareFormats = (): void => {
  const now = new Date();
  day(now.toISOString(), now);
};

/** A time in as little room as it takes: "45 sec", "4 min", "2.5 hr". @param seconds not negative */
export const duration = (seconds: number): string => {
  const [unit, size] =
    seconds < 60
      ? (['second', 1] as const)
      : seconds < 5_400
        ? (['minute', 60] as const)
        : seconds < 172_800
          ? (['hour', 3_600] as const)
          : (['day', 86_400] as const);
  return numberFormat({
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: unit === 'hour' || unit === 'day' ? 1 : 0,
  }).format(seconds / size);
};

const SHORT_STEPS: readonly [unit: 'day' | 'hour' | 'minute', seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** How long it has been, in as little room as there is: "5 min"; below a minute "now". */
export const since = (iso: string, now: number): string => {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1_000);
  const step = SHORT_STEPS.find(([, size]) => seconds >= size);
  if (!step) return words.value.common.now;
  const [unit, size] = step;
  return numberFormat({ style: 'unit', unit, unitDisplay: 'short' }).format(Math.floor(seconds / size));
};
