import { signal } from '@preact/signals';

/** What of a lead the table shows beside its name. */
export const COLUMNS = [
  'email',
  'phone_number',
  'from_page_title',
  'referrer',
  'device',
  'widget',
  'created_at',
] as const;
export type Column = (typeof COLUMNS)[number];

const KEY = 'parlor.leads.columns';

const kept = (): readonly Column[] => {
  const text = localStorage.getItem(KEY);
  if (text === null) return ['email', 'phone_number', 'from_page_title', 'created_at'];
  const names = text.split(' ');
  return COLUMNS.filter((name) => names.includes(name));
};

/** The columns that are shown, in their order; each browser keeps its choice. */
export const columns = signal(kept());

/** Shows a column, or hides it. */
export const showColumn = (column: Column, isShown: boolean): void => {
  columns.value = COLUMNS.filter((name) => (name === column ? isShown : columns.value.includes(name)));
  localStorage.setItem(KEY, columns.value.join(' '));
};
