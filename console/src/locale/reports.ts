import { language, wordsOf } from './locale.ts';
import { de } from './reports.de.ts';
import { en, type ReportWords } from './reports.en.ts';

/** What the page of reports says. */
export const reportWords = wordsOf<ReportWords>({ en, de }, 'reports');

/** What a day or month is called: "Sun, 22 Nov" or "November 2026". */
export const nameOfPeriod = (key: string): string => {
  const isMonth = key.length === 7;
  const style = isMonth
    ? ({ month: 'long', year: 'numeric' } as const)
    : ({ weekday: 'short', day: 'numeric', month: 'short' } as const);
  return new Intl.DateTimeFormat(language.value, { ...style, timeZone: 'UTC' }).format(new Date(key));
};
