import type { NodeType } from './nodes.ts';
import styles from './type-icon.module.css';

/** What stands for each type of node: outlines on a square of 20. */
const PATHS: Readonly<Record<NodeType, string>> = {
  start: 'M7 5.5v9l7-4.5z',
  message: 'M4 5h12v8h-6l-3 3v-3H4z',
  question: 'M7.5 8a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M10 14.5v.01',
  condition: 'M10 3.5 16.5 10 10 16.5 3.5 10z',
  faq: 'M4 5.5h8M4 9h8M4 12.5h5M13 12l1.5 1.5L17 10.5',
  llm: 'M10 3.5l1.6 4.4 4.4 1.6-4.4 1.6L10 15.5l-1.6-4.4L4 9.5l4.4-1.6z',
  lead: 'M10 10a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2Zm-5 5.7c.5-2.5 2.5-3.7 5-3.7s4.5 1.2 5 3.7',
  handoff: 'M4 10h11M11 6l4 4-4 4',
  end: 'M6.5 6.5h7v7h-7z',
};

/** The sign of a type; its name is said beside it. */
export const TypeIcon = ({ type }: { type: NodeType }) => (
  <svg class={`${styles.icon} ${styles[type] ?? ''}`} viewBox="0 0 20 20" aria-hidden="true">
    <path d={PATHS[type]} />
  </svg>
);
