/** What is said of the account in English. */
export const en = {
  title: 'Account',
  hint: 'What concerns everybody in it, for owners alone.',
  download: 'Download',
  downloadHint:
    'Conversations, leads, settings and all else, as one file of JSON lines. Passwords, tokens and keys are left out.',
  downloadAction: 'Download everything',
  remove: 'Delete the account',
  removeHint:
    'Everything goes, for everybody and for good: conversations, leads, widgets, workflows, members. Widgets on your sites show nothing any more.',
  removeAction: 'Delete the account',
  username: (name: string) => `To go on, type your username: ${name}`,
  password: 'Your password',
};

export type AccountWords = typeof en;
