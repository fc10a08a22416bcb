import type { ScopeArea } from '../tokens/scopes.ts';

/** What is said of tokens for programs in English. */
export const en = {
  title: 'Tokens for programs',
  hint: 'A program with a token of yours does what you may do, as far as you let it.',
  add: 'New token',
  empty: 'No tokens yet',
  emptyHint: 'Give each program a token of its own: then you see when it was used, and take it back alone.',
  name: 'Name',
  nameHint: 'What uses it, such as “Order import”.',
  scopes: 'What it may do',
  scopesMissing: 'Choose something that it may do.',
  areas: {
    conversations: 'Conversations',
    leads: 'Leads',
    keywords: 'Keywords',
    webhooks: 'Webhooks',
    widgets: 'Widgets',
    workflows: 'Workflows',
    members: 'Members',
    audit: 'Audit trail',
  } satisfies Record<ScopeArea, string>,
  rights: { none: 'Nothing', read: 'Read', write: 'Read, change' },
  expiry: 'Good for',
  expiries: { 30: '30 days', 90: '90 days', 365: 'A year', 0: 'Until it is deleted' },
  create: 'Make the token',
  token: 'Token',
  once: 'Copy it now: it is never shown again. A program sends it as “Authorization: Token …”.',
  done: 'I have copied it',
  never: 'Never used',
  used: (when: string) => `Used ${when}`,
  until: (when: string) => `Good until ${when}`,
  expired: (when: string) => `Expired on ${when}`,
  remove: 'Delete',
  removed: (name: string) => `“${name}” is deleted: its program is let in no more.`,
  notRemoved: (name: string) => `“${name}” could not be deleted.`,
};
export type TokenWords = typeof en;
