import type { Widened } from './en.ts';

/** The page of reports, in English. */
export const en = {
  title: 'Reports',
  hint: 'How visitors are served, and where your leads come from. Days begin and end at midnight UTC.',
  tabs: { conversations: 'Conversations', leads: 'Leads' },
  conversations: {
    total: 'Conversations',
    answered: 'Answered',
    answeredOf: (number: string) => `${number}, by a person`,
    firstResponse: 'First answer within',
    nineOfTen: (time: string) => `half of them; nine of ten within ${time}`,
    rating: 'Rating',
    unrated: 'Nobody has rated',
    ratedBy: (number: number) => (number === 1 ? 'one visitor has rated' : `${number} visitors have rated`),
    byDay: 'Conversations by day',
    byMonth: 'Conversations by month',
    responseByDay: 'First answer by day, half of them within',
    ratings: 'Ratings',
    stars: (stars: number) => (stars === 1 ? '1 star' : `${stars} stars`),
    empty: 'No conversations in these days',
    emptyHint:
      'Choose more days, or put the widget on your website: each conversation that begins is counted here.',
  },
  total: 'Leads',
  average: 'A day',
  best: 'Best day',
  more: (percent: string) => `${percent} more than in as many days before`,
  fewer: (percent: string) => `${percent} fewer than in as many days before`,
  same: 'As many as in as many days before',
  noneBefore: 'None in as many days before',
  bestOn: (day: string) => `on ${day}`,
  byDay: 'Leads by day',
  byMonth: 'Leads by month',
  day: 'Day',
  month: 'Month',
  groups: {
    widget: 'By widget',
    from_page_title: 'By page',
    referrer: 'By where they came from',
    device: 'By device',
  },
  columns: { widget: 'Widget', from_page_title: 'Page', referrer: 'Came from', device: 'Device' },
  nameless: {
    widget: 'No widget: made by a program',
    from_page_title: 'Not known',
    referrer: 'Typed in, or not known',
    device: 'Not known',
  },
  namelessWidget: 'The widget without a name',
  goneWidget: 'A widget that is gone',
  count: 'Leads',
  others: 'All others',
  empty: 'No leads in these days',
  emptyHint:
    'Choose more days, or put the widget on your website: each lead that is left there is counted here at once.',
} as const;

export type ReportWords = Widened<typeof en>;
