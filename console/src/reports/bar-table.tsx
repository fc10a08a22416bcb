import { count } from '../locale/locale.ts';
import styles from './bar-table.module.css';

/** A row with its bar. */
export interface Bar {
  key: string;
  label: string;
  total: number;
  /** Such as what is not known, or all the rest. */
  isMinor?: boolean;
  isBarless?: boolean;
}

/** Numbers as a table whose rows are bars, the largest as long as there is room. */
export const BarTable = ({
  caption,
  column,
  counted,
  rows,
}: {
  caption: string;
  /** What the rows are, and what is counted: for whoever hears it. */
  column: string;
  counted: string;
  rows: readonly Bar[];
}) => {
  const most = Math.max(1, ...rows.map(({ total, isBarless }) => (isBarless ? 0 : total)));
  return (
    <table class={styles.table}>
      <caption>{caption}</caption>
      <colgroup>
        <col />
        <col class={styles.count} />
      </colgroup>
      <thead class="hidden">
        <tr>
          <th scope="col">{column}</th>
          <th scope="col">{counted}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, label, total, isMinor, isBarless }) => (
          <tr key={key}>
            <th scope="row" class={isMinor ? styles.minor : ''} title={label}>
              <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                <rect width={isBarless ? 0 : (total / most) * 100} height="1" />
              </svg>
              <span dir="auto">{label}</span>
            </th>
            <td>{count(total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
