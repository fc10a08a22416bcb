import type { LeadWords } from './leads.en.ts';

/** The page of leads, in German. */
export const de: LeadWords = {
  title: 'Leads',
  search: 'Name, E-Mail oder Telefon suchen',
  columns: 'Spalten',
  names: {
    nickname: 'Name',
    email: 'E-Mail',
    phone_number: 'Telefon',
    from_page_title: 'Seite',
    referrer: 'Kam von',
    device: 'Gerät',
    widget: 'Widget',
    created_at: 'Eingegangen',
  },
  older: 'Ältere Leads',
  empty: 'Noch keine Leads',
  emptyHint:
    'Wer im Widget Name, E-Mail-Adresse oder Telefonnummer hinterlässt, erscheint hier im selben Moment.',
  noMatch: 'Nichts gefunden',
  noMatchHint: 'Kein Lead hat diese Wörter in diesen Tagen.',
  clear: 'Alle Leads zeigen',
  nameless: 'Lead',
  close: 'Schließen',
  back: 'Zurück zur Liste',
  contact: 'Kontakt',
  origin: 'Woher er kam',
  conversation: 'Gespräch öffnen',
  noConversation: 'Er wurde außerhalb eines Gesprächs hinterlassen.',
  gone: 'Diesen Lead gibt es nicht mehr.',
  others:
    'Jemand anderes hat diesen Lead inzwischen geändert. Ihre Eingabe bleibt: Sehen Sie nach, und speichern Sie noch einmal.',
  updated: 'Jemand anderes hat diesen Lead gerade geändert. Sie sehen ihn, wie er jetzt ist.',
  discard: 'Änderungen verwerfen',
  remove: 'Löschen',
  removed: (name) => `${name} gelöscht.`,
  notRemoved: (name) => `${name} konnte nicht gelöscht werden und ist noch da. Versuchen Sie es noch einmal.`,
  notRemovedChanged: (name) =>
    `${name} wurde inzwischen von jemand anderem geändert und ist noch da. Sehen Sie vor dem Löschen nach.`,
  download: 'CSV herunterladen',
  downloading: (count) => `Leads bisher: ${count}`,
  downloaded: (count) => `Heruntergeladen. Leads: ${count}`,
  stop: 'Abbrechen',
  interrupted: (count) => `Der Download blieb stehen. Leads bisher: ${count}`,
  goOn: 'Fortsetzen',
};
