import type { KeywordWords } from './keywords.en.ts';

/** The page of keywords, in German. */
export const de: KeywordWords = {
  title: 'Stichwörter',
  hint: 'Wörter, von denen Sie erfahren wollen, wenn ein Besucher sie erwähnt.',
  list: 'Ihre Stichwörter',
  listHint: 'Ganze Wörter oder Wendungen. Groß oder klein und Akzente machen keinen Unterschied.',
  keyword: 'Neues Stichwort',
  add: 'Hinzufügen',
  empty: 'Noch keine. Fügen Sie eines hinzu, etwa den Namen eines Produkts oder „Erstattung“.',
  remove: (keyword) => `${keyword} löschen`,
  removed: (keyword) => `„${keyword}“ gelöscht.`,
  notRemoved: (keyword) =>
    `„${keyword}“ konnte nicht gelöscht werden und ist noch da. Versuchen Sie es noch einmal.`,
  more: 'Weitere Stichwörter',
  mentions: 'Erwähnungen',
  mentionsHint: 'Nachrichten von Besuchern, in denen ein Stichwort steht, die neuesten zuerst.',
  noMentions: 'Noch keine Erwähnungen',
  noMentionsHint: 'Sobald ein Besucher eines Ihrer Stichwörter nennt, steht die Nachricht hier.',
  older: 'Ältere Erwähnungen',
  refresh: 'Aktualisieren',
  gone: 'Die Nachricht wurde gelöscht.',
  visitor: 'Besucher',
  unnamed: (count) => `und ${count} weitere`,
  open: 'Gespräch öffnen',
  sent: (when) => `Zuerst weitergegeben ${when}`,
};
