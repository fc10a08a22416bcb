import type { LeadGroup, LeadStatistics } from '@parlor/shared';
import { ask } from '../api/client.ts';
import { count, language } from '../locale/locale.ts';
import { nameOfPeriod, reportWords } from '../locale/reports.ts';
import { type Days, dayQuery, daysBefore } from '../ui/days.ts';
import { Empty } from '../ui/empty.tsx';
import { DaysChart } from './days-chart.tsx';
import { comparison, Figure } from './figures.tsx';
import { GROUPS, type Group, GroupTable } from './group-table.tsx';
import { periodsOf } from './periods.ts';
import { Reported } from './reported.tsx';
import styles from './reports.module.css';
import { useReport } from './use-report.ts';

/** Of each group, this many are shown. */
const MOST = 8;

/** What is counted in some days. */
interface Report {
  days: LeadStatistics;
  groups: Record<Group, LeadStatistics>;
  /** How many there were in as many days before. */
  before: number;
}

const countBy = (group: LeadGroup, days: Days): Promise<LeadStatistics> => {
  const query = new URLSearchParams({ group_by: group, limit: String(MOST), ...dayQuery(days) });
  return ask<LeadStatistics>('GET', `leads/stats/?${query}`);
};

const read = async (asked: Days): Promise<Report> => {
  // The server says which days it has taken where one of them was open.
  const days = await countBy('day', asked);
  const range = { start: days.start_date, end: days.end_date };
  const [before, ...groups] = await Promise.all([
    countBy('device', daysBefore(range)),
    ...GROUPS.map((group) => countBy(group, range)),
  ]);
  const byGroup = Object.fromEntries(GROUPS.map((group, n) => [group, groups[n]]));
  return { days, groups: byGroup as Report['groups'], before: before.total };
};

const Figures = ({ report: { days, before } }: { report: Report }) => {
  const t = reportWords.value;
  const best = days.results.reduce((a, b) => (b.total > a.total ? b : a));
  const average = new Intl.NumberFormat(language.value, { maximumFractionDigits: 1 }).format(
    days.total / days.results.length,
  );
  return (
    <dl class={styles.figures}>
      <Figure label={t.total} value={count(days.total)} note={comparison(days.total, before)} />
      <Figure label={t.average} value={average} note="" />
      <Figure label={t.best} value={count(best.total)} note={t.bestOn(nameOfPeriod(best.day ?? ''))} />
    </dl>
  );
};

const Charts = ({ report }: { report: Report }) => {
  const t = reportWords.value;
  const { isMonths, periods } = periodsOf(report.days.results);
  return (
    <>
      <Figures report={report} />
      <DaysChart title={isMonths ? t.byMonth : t.byDay} counted={t.count} periods={periods} />
      <div class={styles.groups}>
        {GROUPS.map((group) => (
          <div key={group} class={styles.card}>
            <GroupTable group={group} statistics={report.groups[group]} />
          </div>
        ))}
      </div>
    </>
  );
};

/** How many leads there were, and where they came from. */
export const LeadReport = ({ days }: { days: Days }) => {
  const t = reportWords.value;
  return (
    <Reported reading={useReport(days, read)}>
      {(report) =>
        report.days.total === 0 ? <Empty title={t.empty} hint={t.emptyHint} /> : <Charts report={report} />
      }
    </Reported>
  );
};
