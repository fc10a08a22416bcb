import styles from './icon.module.css';

/** Outlines on a square of 20, 1.5 wide. */
export const ICONS = {
  inbox: 'M3 11.5 5 4h10l2 7.5V16H3v-4.5Zm0 0h4a3 3 0 0 0 6 0h4',
  assign: 'M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-6 6.5c.6-3 3-4.5 6-4.5s5.4 1.5 6 4.5',
  snooze: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm0-11v4l2.5 2.5',
  tag: 'M3.5 3.5h6l7 7-6 6-7-7v-6Zm3 3v.01',
  done: 'm4 10.5 4 4 8-9',
  reopen: 'M4 10a6 6 0 1 1 2 4.5M4 10V6m0 4h4',
  unread: 'M3 5h14v10H3zm0 0 7 6 7-6',
  back: 'M12.5 4 6.5 10l6 6',
  details: 'M3 4h14v12H3zm9 0v12',
  keys: 'M2.5 5.5h15v9h-15zm3 3h.01m3 0h.01m3 0h.01m3 0h.01M6.5 11.5h7',
  widget: 'M4 4h12v9h-5l-4 3.5V13H4z',
  waiting: 'M6 3h8M6 17h8M6.5 3c0 4 7 6 7 10v4m0-14c0 4-7 6-7 10v4',
  all: 'M4 5h12M4 10h12M4 15h12',
  reply: 'M11.5 3 5 11h4.5L8.5 17 15 9h-4.5z',
  select: 'M3.5 3.5h13v13h-13zm3 6.5 2.5 2.5 4.5-5',
  close: 'm5 5 10 10M15 5 5 15',
  note: 'M4 4h12v8l-4 4H4zm12 8h-4v4',
  forward: 'm7.5 4 6 6-6 6',
  plus: 'M10 4.5v11M4.5 10h11',
  minus: 'M4.5 10h11',
  fit: 'M4 8V4h4m4 0h4v4m0 4v4h-4m-4 0H4v-4',
  undo: 'M7.5 5 4 8.5 7.5 12M4 8.5h7.5a4 4 0 0 1 0 8H9',
  redo: 'm12.5 5 3.5 3.5-3.5 3.5M16 8.5H8.5a4 4 0 0 0 0 8H11',
  warning: 'M10 3.5 17.5 16.5h-15zm0 5v3.5m0 2.200v.01',
  more: 'M4.5 9.4a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2Zm5.5 0a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2Zm5.5 0a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2Z',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11Zm4-1.5 3.5 3.5',
} as const;

export type IconName = keyof typeof ICONS;

/** What points on or back, and so the other way where one reads from right to left. */
const DIRECTED: ReadonlySet<IconName> = new Set(['back', 'forward', 'undo', 'redo']);

/** Stands beside words, or for a label that is said otherwise. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg
    class={`${styles.icon} ${DIRECTED.has(name) ? styles.directed : ''}`}
    viewBox="0 0 20 20"
    aria-hidden="true"
  >
    <path d={ICONS[name]} />
  </svg>
);
