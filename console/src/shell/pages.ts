import { isAdmin, isOwner } from '../session/session.ts';

/** The pages beside the inbox, under a heading each. */
export const GROUPS = [
  ['customers', '/console', ['leads', 'reports', 'keywords']],
  [
    'settings',
    '/console/settings',
    [
      'profile',
      'security',
      'replies',
      'team',
      'widgets',
      'workflows',
      'webhooks',
      'tokens',
      'account',
      'audit',
    ],
  ],
] as const;

export type PageName = (typeof GROUPS)[number][2][number];

/** What stands under another heading than its address says. */
const ADDRESSES: Partial<Record<PageName, string>> = {
  widgets: '/console/widgets',
  workflows: '/console/workflows',
  webhooks: '/console/webhooks',
};

const OF_ADMINS: ReadonlySet<PageName> = new Set(['keywords', 'widgets', 'workflows', 'webhooks', 'audit']);

const isAllowed = (name: PageName): boolean =>
  name === 'account' ? isOwner.value : isAdmin.value || !OF_ADMINS.has(name);

/** The pages of a group, or of all, that whoever is signed in may see. */
export const pagesOf = (
  groups: readonly (typeof GROUPS)[number][] = GROUPS,
): { name: PageName; address: string }[] =>
  groups.flatMap(([, folder, names]) =>
    names.filter(isAllowed).map((name) => ({ name, address: ADDRESSES[name] ?? `${folder}/${name}` })),
  );
