import type { Words } from './en.ts';

/** What is said of saved replies in German. */
export const replies: Words['replies'] = {
  title: 'Gespeicherte Antworten',
  hint: 'Texte, die Sie immer wieder senden. In einer Antwort findet / sie.',
  add: 'Neue Antwort',
  change: 'Antwort ändern',
  empty: 'Noch keine gespeicherten Antworten',
  emptyHint: 'Speichern Sie, was Sie oft antworten: Das nächste Mal sind es ein / und ein paar Buchstaben.',
  name: 'Name',
  shortcut: 'Kürzel',
  shortcutHint: 'Was Sie nach dem / tippen: Buchstaben, Ziffern, - und _.',
  body: 'Text',
  bodyHint: '{{visitor.name}} und {{member.name}} werden ausgefüllt.',
  effects: 'Zusammen mit der Antwort',
  tags: 'Schlagwörter hinzufügen',
  tagsHint: 'Mehrere mit Kommas dazwischen.',
  assignee: 'Zuweisen an',
  status: 'Status',
  asItIs: 'Wie es ist',
  statuses: { open: 'Offen', done: 'Erledigt' },
  reallyRemove: 'Für alle entfernen',
  withIt: (what: string) => `Dazu: ${what}`,
  withoutIt: 'Ohne',
  tagged: (tag: string) => `Schlagwort ${tag}`,
  assigned: (name: string) => `zuweisen an ${name}`,
};
