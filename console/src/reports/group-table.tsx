import type { LeadStatistics } from '@parlor/shared';
import { widgets } from '../inbox/people.ts';
import { reportWords } from '../locale/reports.ts';
import { type Bar, BarTable } from './bar-table.tsx';

/** What leads are counted by beside days. */
export const GROUPS = ['widget', 'from_page_title', 'referrer', 'device'] as const;
export type Group = (typeof GROUPS)[number];

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
  const others = total - results.reduce((sum, result) => sum + result.total, 0);
  const rows: Bar[] = results.map((result) => ({
    key: result[group] ?? '',
    label: labelOf(result),
    total: result.total,
    isMinor: result[group] === '',
  }));
  if (others > 0) rows.push({ key: '…', label: t.others, total: others, isMinor: true, isBarless: true });
  return <BarTable caption={t.groups[group]} column={t.columns[group]} counted={t.count} rows={rows} />;
};
