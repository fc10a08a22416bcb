import type { LeadStatistics } from '@parlor/shared';
import { widgets } from '../inbox/people.ts';
import { count } from '../locale/locale.ts';
import { reportWords } from '../locale/reports.ts';
import styles from './group-table.module.css';

/** What leads are counted by beside days. */
export const GROUPS = ['widget', 'from_page_title', 'referrer', 'device'] as const;
export type Group = (typeof GROUPS)[number];

const Row = ({
  label,
  isMinor,
  total,
  of,
}: {
  label: string;
  isMinor: boolean;
  total: number;
  of: number;
}) => (
  <tr>
    <th scope="row" class={isMinor ? styles.minor : ''} title={label}>
      <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect width={of === 0 ? 0 : (total / of) * 100} height="1" />
      </svg>
      <span dir="auto">{label}</span>
    </th>
    <td>{count(total)}</td>
  </tr>
);

/** How many leads each widget, page, address or device has brought, the most first. */
export const GroupTable = ({ group, statistics }: { group: Group; statistics: LeadStatistics }) => {
  const t = reportWords.value;
  const labelOf = (result: LeadStatistics['results'][number]): string => {
    const value = result[group] ?? '';
    if (value === '') return t.nameless[group];
    if (group === 'widget') {
      const isThere = widgets.value.some(({ uuid }) => uuid === value);
      return result.name || (isThere ? t.namelessWidget : t.goneWidget);
    }
    return group === 'referrer' ? value.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '') : value;
  };
  const { results, total } = statistics;
  const most = Math.max(...results.map((result) => result.total), 0);
  const others = total - results.reduce((sum, result) => sum + result.total, 0);
  return (
    <table class={styles.table}>
      <caption>{t.groups[group]}</caption>
      <colgroup>
        <col />
        <col class={styles.count} />
      </colgroup>
      <thead class="hidden">
        <tr>
          <th scope="col">{t.columns[group]}</th>
          <th scope="col">{t.count}</th>
        </tr>
      </thead>
      <tbody>
        {results.map((result) => (
          <Row
            key={result[group]}
            label={labelOf(result)}
            isMinor={result[group] === ''}
            total={result.total}
            of={most}
          />
        ))}
        {others > 0 && <Row label={t.others} isMinor={true} total={others} of={0} />}
      </tbody>
    </table>
  );
};
