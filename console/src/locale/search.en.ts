/** What the search says in English. */
export const search = {
  title: 'Search',
  label: 'Names, e-mail addresses, words …',
  kinds: 'What is looked for',
  everything: 'Everything',
  kindsOf: { conversation: 'Conversations', message: 'Messages', note: 'Notes', lead: 'Leads' },
  kindOf: { conversation: 'Conversation', message: 'Message', note: 'Note', lead: 'Lead' },
  begin: 'Find what was said',
  beginHint: 'All words have to be there; of the last one the beginning is enough.',
  nothing: 'Nothing found',
  nothingHint: 'Try fewer words, or only the beginning of one.',
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  more: 'Look further back',
};
