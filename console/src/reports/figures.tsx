import { language } from '../locale/locale.ts';
import { reportWords } from '../locale/reports.ts';
import styles from './reports.module.css';

/** A number that stands for all the days. */
export const Figure = ({ label, value, note }: { label: string; value: string; note: string }) => (
  <div>
    <dt>{label}</dt>
    <dd class={styles.value}>{value}</dd>
    <dd class={styles.note}>{note}</dd>
  </div>
);

/** A part of a whole, 0 to 1, in the language's own way: "12%". */
export const percent = (part: number): string =>
  new Intl.NumberFormat(language.value, { style: 'percent', maximumFractionDigits: 0 }).format(part);

/** How a total compares with the one before it, in words. */
export const comparison = (total: number, before: number): string => {
  const t = reportWords.value;
  if (before === 0) return t.noneBefore;
  if (total === before) return t.same;
  const change = percent(Math.abs(total - before) / before);
  return total > before ? t.more(change) : t.fewer(change);
};
