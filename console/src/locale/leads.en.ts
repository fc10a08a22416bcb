import type { Widened } from './en.ts';

/** The page of leads, in English. */
export const en = {
  title: 'Leads',
  search: 'Search by name, e-mail or phone',
  columns: 'Columns',
  names: {
    nickname: 'Name',
    email: 'E-mail',
    phone_number: 'Phone',
    from_page_title: 'Page',
    referrer: 'Came from',
    device: 'Device',
    widget: 'Widget',
    created_at: 'Received',
  },
  older: 'Older leads',
  empty: 'No leads yet',
  emptyHint: 'Who leaves a name, an e-mail address or a phone number in the widget appears here at once.',
  noMatch: 'Nothing found',
  noMatchHint: 'No lead has these words in these days.',
  clear: 'Show all leads',
  nameless: 'Lead',
  close: 'Close',
  back: 'Back to the list',
  contact: 'Contact',
  origin: 'Where it came from',
  conversation: 'Open the conversation',
  noConversation: 'It was left outside of a conversation.',
  gone: 'This lead does not exist any more.',
  others:
    'Somebody else has changed this lead meanwhile. What you typed is kept: look at it, and save again.',
  updated: 'Somebody else has just changed this lead. You see it as it is now.',
  discard: 'Discard changes',
  remove: 'Delete',
  removed: (name: string) => `${name} deleted.`,
  notRemoved: (name: string) => `${name} could not be deleted, and is still here. Try again.`,
  notRemovedChanged: (name: string) =>
    `${name} was changed by somebody else meanwhile, and is still here. Look at it before you delete it.`,
  download: 'Download CSV',
  downloading: (count: string) => `Leads so far: ${count}`,
  downloaded: (count: string) => `Downloaded. Leads: ${count}`,
  stop: 'Stop',
  interrupted: (count: string) => `The download stopped. Leads so far: ${count}`,
  goOn: 'Go on',
} as const;

export type LeadWords = Widened<typeof en>;
