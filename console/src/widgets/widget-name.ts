import type { Widget } from '@parlor/shared';
import { words } from '../locale/locale.ts';

/** What members call a widget: by its name, else by what tells it from others. */
export const widgetName = ({
  name,
  header_title,
  domain,
}: Pick<Widget, 'name' | 'header_title' | 'domain'>): string =>
  name.trim() ||
  header_title.trim() ||
  domain.replace(/^https?:\/\//, '') ||
  words.value.shell.namelessWidget;
