import { INBOX_VIEWS, type InboxViewName } from '@parlor/shared/inbox-views';
import { words } from '../locale/locale.ts';
import { widgets } from './people.ts';

/** What a view is called: by its own name, its widget's or its tag's. */
export const viewTitle = (name: string): string => {
  const { views, title } = words.value.inbox;
  if (INBOX_VIEWS.includes(name as InboxViewName)) return views[name as InboxViewName];
  const [kind, value = ''] = name.split(/:(.*)/s);
  return kind === 'widget' ? (widgets.value.find(({ uuid }) => uuid === value)?.name ?? title) : value;
};
