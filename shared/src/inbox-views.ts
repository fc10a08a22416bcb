/** The views of the inbox that everybody has, in the order of the side bar, and what each asks the list for. */
const QUERIES = {
  mine: 'status=open&assignee=me',
  unassigned: 'status=open&assignee=none',
  waiting: 'status=open&waiting_on=us',
  all: 'status=open',
  snoozed: 'status=snoozed',
  done: 'status=done',
} as const;

export type InboxViewName = keyof typeof QUERIES;

export const INBOX_VIEWS = Object.keys(QUERIES) as InboxViewName[];

/** How many conversations a page of the inbox has. */
export const INBOX_PAGE = 50;

/** The query of a view by its name in the console's addresses, as `mine`, `widget:<uuid>` or `tag:<name>`. */
export const inboxQuery = (name: string): string | undefined => {
  if (Object.hasOwn(QUERIES, name)) return QUERIES[name as InboxViewName];
  const [, kind, value] = /^(widget|tag):(.+)$/s.exec(name) ?? [];
  return value === undefined ? undefined : `status=open&${kind}=${encodeURIComponent(value)}`;
};

/** The name of the view that the console shows at a path, such as /console/inbox/mine; undefined where it shows something else. */
export const inboxViewAt = (path: string): string | undefined => {
  const name = /^\/console\/inbox\/([^/]+)/.exec(path)?.[1];
  try {
    return name && decodeURIComponent(name);
  } catch {
    return undefined;
  }
};

/** Where a view's list is, behind /api/v1/. */
export const inboxList = (query: string, limit = INBOX_PAGE): string =>
  `conversations/?${query}&limit=${limit}`;
