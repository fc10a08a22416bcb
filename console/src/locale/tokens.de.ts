import type { TokenWords } from './tokens.en.ts';

/** What is said of tokens for programs in German. */
export const de: TokenWords = {
  title: 'Tokens für Programme',
  hint: 'Ein Programm mit einem Token von Ihnen tut, was Sie dürfen, soweit Sie es erlauben.',
  add: 'Neues Token',
  empty: 'Noch keine Tokens',
  emptyHint:
    'Geben Sie jedem Programm ein eigenes Token: Dann sehen Sie, wann es benutzt wurde, und nehmen es einzeln zurück.',
  name: 'Name',
  nameHint: 'Was es benutzt, etwa „Bestellimport“.',
  scopes: 'Was es darf',
  scopesMissing: 'Wählen Sie etwas, was es darf.',
  areas: {
    conversations: 'Unterhaltungen',
    leads: 'Leads',
    keywords: 'Stichwörter',
    webhooks: 'Webhooks',
    widgets: 'Widgets',
    workflows: 'Abläufe',
    members: 'Mitglieder',
    audit: 'Protokoll',
  },
  rights: { none: 'Nichts', read: 'Lesen', write: 'Lesen, ändern' },
  expiry: 'Gültig',
  expiries: { 30: '30 Tage', 90: '90 Tage', 365: 'Ein Jahr', 0: 'Bis es gelöscht wird' },
  create: 'Token erstellen',
  token: 'Token',
  once: 'Kopieren Sie es jetzt: Es wird nie wieder gezeigt. Ein Programm sendet es als „Authorization: Token …“.',
  done: 'Ich habe es kopiert',
  never: 'Nie benutzt',
  used: (when) => `Benutzt ${when}`,
  until: (when) => `Gültig bis ${when}`,
  expired: (when) => `Abgelaufen am ${when}`,
  remove: 'Löschen',
  removed: (name) => `„${name}“ ist gelöscht: Sein Programm wird nicht mehr eingelassen.`,
  notRemoved: (name) => `„${name}“ konnte nicht gelöscht werden.`,
};
