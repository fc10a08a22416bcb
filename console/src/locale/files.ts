import type { Locale } from '@parlor/shared/locales';
import type { Words } from './en.ts';
import { completed, type FrameWords } from './frame.ts';

const frame = async (file: Promise<{ words: FrameWords }>): Promise<Words> => completed((await file).words);

/** The languages beside English, each a file of its own that is loaded when it is wanted. */
export const FILES: Readonly<Record<Exclude<Locale, 'en'>, () => Promise<Words>>> = {
  de: () => import('./de.ts').then(({ de }) => de),
  es: () => frame(import('./frame/es.ts')),
  pt: () => frame(import('./frame/pt.ts')),
  fr: () => frame(import('./frame/fr.ts')),
  it: () => frame(import('./frame/it.ts')),
  nl: () => frame(import('./frame/nl.ts')),
  pl: () => frame(import('./frame/pl.ts')),
  tr: () => frame(import('./frame/tr.ts')),
  ar: () => frame(import('./frame/ar.ts')),
  he: () => frame(import('./frame/he.ts')),
  hi: () => frame(import('./frame/hi.ts')),
  zh: () => frame(import('./frame/zh.ts')),
  ja: () => frame(import('./frame/ja.ts')),
  ko: () => frame(import('./frame/ko.ts')),
};
