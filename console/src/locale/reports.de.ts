import type { ReportWords } from './reports.en.ts';

/** The page of reports, in German. */
export const de: ReportWords = {
  title: 'Berichte',
  hint: 'Woher Ihre Leads kommen. Tage beginnen und enden um Mitternacht UTC.',
  total: 'Leads',
  average: 'Am Tag',
  best: 'Bester Tag',
  more: (percent) => `${percent} mehr als in ebenso vielen Tagen zuvor`,
  fewer: (percent) => `${percent} weniger als in ebenso vielen Tagen zuvor`,
  same: 'So viele wie in ebenso vielen Tagen zuvor',
  noneBefore: 'In ebenso vielen Tagen zuvor keine',
  bestOn: (day) => `am ${day}`,
  byDay: 'Leads nach Tag',
  byMonth: 'Leads nach Monat',
  day: 'Tag',
  month: 'Monat',
  groups: {
    widget: 'Nach Widget',
    from_page_title: 'Nach Seite',
    referrer: 'Nach Herkunft',
    device: 'Nach Gerät',
  },
  columns: { widget: 'Widget', from_page_title: 'Seite', referrer: 'Kam von', device: 'Gerät' },
  nameless: {
    widget: 'Kein Widget: von einem Programm',
    from_page_title: 'Nicht bekannt',
    referrer: 'Eingetippt oder nicht bekannt',
    device: 'Nicht bekannt',
  },
  namelessWidget: 'Das Widget ohne Namen',
  goneWidget: 'Ein Widget, das es nicht mehr gibt',
  count: 'Leads',
  others: 'Alle anderen',
  empty: 'Keine Leads in diesen Tagen',
  emptyHint:
    'Wählen Sie mehr Tage, oder stellen Sie das Widget auf Ihre Website: Jeder Lead, der dort hinterlassen wird, zählt hier sofort mit.',
};
