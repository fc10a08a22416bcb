import type { AccountWords } from './account.en.ts';

/** What is said of the account in German. */
export const de: AccountWords = {
  title: 'Konto',
  hint: 'Was alle darin betrifft, nur für Inhaber.',
  download: 'Herunterladen',
  downloadHint:
    'Unterhaltungen, Leads, Einstellungen und alles andere als eine Datei mit JSON-Zeilen. Passwörter, Tokens und Schlüssel stehen nicht darin.',
  downloadAction: 'Alles herunterladen',
  remove: 'Konto löschen',
  removeHint:
    'Alles geht verloren, für alle und für immer: Unterhaltungen, Leads, Widgets, Abläufe, Mitglieder. Die Widgets auf Ihren Seiten zeigen nichts mehr.',
  removeAction: 'Konto löschen',
  username: (name: string) => `Geben Sie dazu Ihren Benutzernamen ein: ${name}`,
  password: 'Ihr Passwort',
};
