import { wordsOf } from './locale.ts';

/** What ranges of days are called. */
export const dayWords = wordsOf({
  en: {
    label: 'Days',
    all: 'All days',
    ranges: {
      '1': 'Today',
      '7': 'The last 7 days',
      '30': 'The last 30 days',
      '90': 'The last 90 days',
      month: 'This month',
    },
    between: 'From … to …',
    from: 'From',
    to: 'To',
  },
  de: {
    label: 'Tage',
    all: 'Alle Tage',
    ranges: {
      '1': 'Heute',
      '7': 'Die letzten 7 Tage',
      '30': 'Die letzten 30 Tage',
      '90': 'Die letzten 90 Tage',
      month: 'Dieser Monat',
    },
    between: 'Von … bis …',
    from: 'Von',
    to: 'Bis',
  },
});
