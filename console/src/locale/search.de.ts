import type { Words } from './en.ts';

/** What the search says in German. */
export const search: Words['search'] = {
  title: 'Suche',
  label: 'Namen, E-Mail-Adressen, Wörter …',
  kinds: 'Wonach gesucht wird',
  everything: 'Alles',
  kindsOf: { conversation: 'Gespräche', message: 'Nachrichten', note: 'Notizen', lead: 'Leads' },
  kindOf: { conversation: 'Gespräch', message: 'Nachricht', note: 'Notiz', lead: 'Lead' },
  begin: 'Finden, was gesagt wurde',
  beginHint: 'Alle Wörter müssen vorkommen; vom letzten genügt der Anfang.',
  nothing: 'Nichts gefunden',
  nothingHint: 'Versuchen Sie weniger Wörter oder nur den Anfang eines Wortes.',
  found: (count: number) => (count === 1 ? '1 Ergebnis' : `${count} Ergebnisse`),
  more: 'Weiter zurück suchen',
};
