import { LIMITS } from 'virtual:widget-settings';
import type { NewWidget, Widget } from '@parlor/shared';
import { FIELDS, type SettingName } from './fields.ts';

/** The settings of a widget, without what the server makes. */
export const settingsOf = (widget: Widget): NewWidget =>
  Object.fromEntries(NAMES.map((name) => [name, widget[name]])) as NewWidget;

export const NAMES = Object.keys(FIELDS) as SettingName[];

/** What can be shown: where somebody is still writing an address or a colour, what was there before. */
export const showable = (mine: NewWidget, base: NewWidget): NewWidget => {
  const shown: Record<string, unknown> = { ...mine };
  for (const name of NAMES) {
    const { pattern, minimum = 0, maximum = 0 } = LIMITS[name];
    const value = mine[name];
    const isText = typeof value === 'string' && pattern !== undefined;
    if (isText && !new RegExp(pattern).test(value)) shown[name] = base[name];
    if (typeof value === 'number' && !(value >= minimum && value <= maximum)) shown[name] = base[name];
  }
  return shown as NewWidget;
};
