import { LOCALES } from '@parlor/shared';
import { expect, test } from 'vitest';
import { en } from './en.ts';
import { isRightToLeft, LANGUAGES, loadTexts, pickLocale } from './locale.ts';

test.each([
  [['de'], 'de', 'de'],
  [['pt-BR'], 'pt-BR', 'pt'],
  [['pt_BR'], 'pt-BR', 'pt'],
  [['ZH-hant-tw'], 'zh-Hant-TW', 'zh'],
  [['iw'], 'he', 'he'],
  [[undefined, '', 'fr-CA'], 'fr-CA', 'fr'],
  [['xx', 'ja'], 'ja', 'ja'],
  [['tlh', 'xx'], 'en', 'en'],
  [[], 'en', 'en'],
  [['not a tag'], 'en', 'en'],
  [['de-!!'], 'de', 'de'],
  [['constructor', 'es'], 'es', 'es'],
])('%j gets %s from %s', (wanted, tag, builtIn) => {
  expect(pickLocale(wanted)).toEqual([tag, builtIn]);
});

test('every further language is there, and none has an empty text', async () => {
  expect(['en', ...LANGUAGES]).toEqual([...LOCALES]);
  for (const tag of LANGUAGES) {
    expect(pickLocale([tag])).toEqual([tag, tag]);
    const texts = await loadTexts(tag);
    expect(Object.keys(texts).sort()).toEqual(Object.keys(en).sort());
    for (const [key, text] of Object.entries(texts)) expect(text?.trim(), `${tag}.${key}`).not.toBe('');
    expect(texts.send).not.toBe(en.send);
  }
});

test('Arabic and Hebrew are written from right to left', () => {
  expect(['ar', 'he', 'ar-EG'].every(isRightToLeft)).toBe(true);
  expect(['en', 'hi', 'arn', 'zh'].some(isRightToLeft)).toBe(false);
});
