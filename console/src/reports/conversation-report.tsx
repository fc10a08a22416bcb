import type { ConversationStatistics } from '@parlor/shared';
import { ask } from '../api/client.ts';
import { count, duration, language } from '../locale/locale.ts';
import { reportWords } from '../locale/reports.ts';
import { type Days, dayQuery, daysBefore } from '../ui/days.ts';
import { Empty } from '../ui/empty.tsx';
import { BarTable } from './bar-table.tsx';
import { DaysChart } from './days-chart.tsx';
import { comparison, Figure, percent } from './figures.tsx';
import { periodsOf } from './periods.ts';
import { Reported } from './reported.tsx';
import styles from './reports.module.css';
import { useReport } from './use-report.ts';

/** What is counted in some days, and how many there were in as many days before. */
interface Report {
  days: ConversationStatistics;
  before: number;
}

const summarize = (days: Days): Promise<ConversationStatistics> =>
  ask<ConversationStatistics>('GET', `conversations/stats/?${new URLSearchParams(dayQuery(days))}`);

const read = async (asked: Days): Promise<Report> => {
  const days = await summarize(asked);
  const before = await summarize(daysBefore({ start: days.start_date, end: days.end_date }));
  return { days, before: before.total };
};

const known = <T,>(value: T | null, shown: (value: T) => string): string =>
  value === null ? '–' : shown(value);

const stars = (rating: number): string =>
  new Intl.NumberFormat(language.value, { maximumFractionDigits: 1 }).format(rating);

const Figures = ({ report: { days, before } }: { report: Report }) => {
  const t = reportWords.value.conversations;
  const { total, answered, first_response, first_response_90, rated, rating } = days;
  return (
    <dl class={`${styles.figures} ${styles.four}`}>
      <Figure label={t.total} value={count(total)} note={comparison(total, before)} />
      <Figure label={t.answered} value={percent(answered / total)} note={t.answeredOf(count(answered))} />
      <Figure
        label={t.firstResponse}
        value={known(first_response, duration)}
        note={first_response_90 === null ? '' : t.nineOfTen(duration(first_response_90))}
      />
      <Figure
        label={t.rating}
        value={known(rating, stars)}
        note={rated === 0 ? t.unrated : t.ratedBy(rated)}
      />
    </dl>
  );
};

const Charts = ({ report }: { report: Report }) => {
  const t = reportWords.value.conversations;
  const { results, ratings, rated } = report.days;
  const { isMonths, periods } = periodsOf(results);
  const responses = results.map(({ day, first_response }) => ({ key: day, total: first_response ?? 0 }));
  return (
    <>
      <Figures report={report} />
      <DaysChart title={isMonths ? t.byMonth : t.byDay} counted={t.total} periods={periods} />
      <div class={styles.groups}>
        {/* A month has no median of its own. */}
        {!isMonths && report.days.answered > 0 && (
          <DaysChart title={t.responseByDay} counted={t.firstResponse} periods={responses} shown={duration} />
        )}
        {rated > 0 && (
          <div class={styles.card}>
            <BarTable
              caption={t.ratings}
              column={t.rating}
              counted={t.total}
              rows={ratings
                .map((total, at) => ({ key: String(at), label: t.stars(at + 1), total }))
                .reverse()}
            />
          </div>
        )}
      </div>
    </>
  );
};

/** How many conversations began, how soon they were answered, and what visitors thought of it. */
export const ConversationReport = ({ days }: { days: Days }) => {
  const t = reportWords.value.conversations;
  return (
    <Reported reading={useReport(days, read)}>
      {(report) =>
        report.days.total === 0 ? <Empty title={t.empty} hint={t.emptyHint} /> : <Charts report={report} />
      }
    </Reported>
  );
};
