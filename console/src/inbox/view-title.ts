import { words } from '../locale/locale.ts';
import { widgets } from './people.ts';
import { VIEWS, type ViewName } from './views.ts';

/** What a view is called: by its own name, its widget's or its tag's. */
export const viewTitle = (name: string): string => {
  const { views, title } = words.value.inbox;
  if (VIEWS.includes(name as ViewName)) return views[name as ViewName];
  const [kind, value = ''] = name.split(/:(.*)/s);
  return kind === 'widget' ? (widgets.value.find(({ uuid }) => uuid === value)?.name ?? title) : value;
};
