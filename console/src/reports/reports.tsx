import { useLocation } from 'preact-iso';
import { count, language, words } from '../locale/locale.ts';
import { nameOfPeriod, reportWords } from '../locale/reports.ts';
import { Page } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { daysOf, daysOfRange } from '../ui/days.ts';
import { DaysFilter } from '../ui/days-filter.tsx';
import { Empty } from '../ui/empty.tsx';
import { Notice } from '../ui/notice.tsx';
import { DaysChart } from './days-chart.tsx';
import { GROUPS, GroupTable } from './group-table.tsx';
import { periodsOf } from './periods.ts';
import styles from './reports.module.css';
import { type Report, useStatistics } from './use-statistics.ts';

const PATH = '/console/reports';
const RANGE = '30';

const Figure = ({ label, value, note }: { label: string; value: string; note: string }) => (
  <div>
    <dt>{label}</dt>
    <dd class={styles.value}>{value}</dd>
    <dd class={styles.note}>{note}</dd>
  </div>
);

/** How a total compares with the one before it, in words. */
const comparison = (total: number, before: number): string => {
  const t = reportWords.value;
  if (before === 0) return t.noneBefore;
  if (total === before) return t.same;
  const change = Math.abs(total - before) / before;
  const percent = new Intl.NumberFormat(language.value, {
    style: 'percent',
    maximumFractionDigits: 0,
  }).format(change);
  return total > before ? t.more(percent) : t.fewer(percent);
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
      <section class={styles.card}>
        <h2>{isMonths ? t.byMonth : t.byDay}</h2>
        <DaysChart periods={periods} isMonths={isMonths} />
      </section>
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
export const Reports = () => {
  const t = reportWords.value;
  const { query, route } = useLocation();
  const isOpen = !query.days && !query.from && !query.to;
  const days = isOpen ? daysOfRange(RANGE) : daysOf(query);
  const { report, state, refusal, retry } = useStatistics(days);
  const choose = (wanted: Readonly<Record<string, string>>) => {
    const search = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ''));
    route(search.size === 0 ? PATH : `${PATH}?${search}`, true);
  };
  return (
    <Page
      title={t.title}
      hint={t.hint}
      isWide
      action={<DaysFilter query={query} fallback={RANGE} onChoose={choose} />}
    >
      {state === 'failed' && (
        <Notice>
          {refusal || words.value.errors.page} <Button onClick={retry}>{words.value.common.retry}</Button>
        </Notice>
      )}
      {state !== 'failed' && report && (
        <div
          class={`${styles.report} ${state === 'loading' ? styles.stale : ''}`}
          aria-busy={state === 'loading'}
        >
          {report.days.total === 0 ? (
            <Empty title={t.empty} hint={t.emptyHint} />
          ) : (
            <Charts report={report} />
          )}
        </div>
      )}
      {state === 'loading' && (
        <p class={report ? 'hidden' : styles.loading} role="status">
          {words.value.common.loading}
        </p>
      )}
    </Page>
  );
};
