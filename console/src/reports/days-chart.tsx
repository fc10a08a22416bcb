import { count } from '../locale/locale.ts';
import { nameOfPeriod, reportWords } from '../locale/reports.ts';
import styles from './days-chart.module.css';
import { type Period, scaleOf } from './periods.ts';
import card from './reports.module.css';

/** The room of a bar, of which it fills the middle. */
const STEP = 10;
const GAP = 1.5;

/**
 * Numbers over time, as bars; whoever does not see them gets them as a table.
 * @param counted what they are, in a word
 * @param shown how one is shown
 */
export const DaysChart = ({
  title,
  counted,
  periods,
  shown = count,
}: {
  title: string;
  counted: string;
  periods: readonly Period[];
  shown?(total: number): string;
}) => {
  const t = reportWords.value;
  const isMonths = periods[0]?.key.length === 7;
  const top = scaleOf(Math.max(...periods.map(({ total }) => total)));
  const width = periods.length * STEP;
  const first = periods[0];
  const last = periods.at(-1);
  return (
    <section class={card.card}>
      <h2>{title}</h2>
      <div class={styles.chart} aria-hidden="true">
        <div class={styles.scale}>
          <span>{shown(top)}</span>
          <span>{shown(top / 2)}</span>
          <span>0</span>
        </div>
        <svg viewBox={`0 0 ${width} 100`} preserveAspectRatio="none" aria-hidden="true">
          <path class={styles.lines} d={`M0 0H${width}M0 50H${width}M0 100H${width}`} />
          {periods.map(({ key, total }, n) => {
            const height = (total / top) * 100;
            return (
              <g key={key} class={styles.period}>
                <title>{`${nameOfPeriod(key)}: ${shown(total)}`}</title>
                <rect class={styles.room} x={n * STEP} y="0" width={STEP} height="100" />
                <rect
                  class={styles.bar}
                  x={n * STEP + GAP}
                  y={100 - height}
                  width={STEP - 2 * GAP}
                  height={height}
                />
              </g>
            );
          })}
        </svg>
        <div class={styles.ends}>
          <span>{first && nameOfPeriod(first.key)}</span>
          {last !== first && <span>{last && nameOfPeriod(last.key)}</span>}
        </div>
      </div>
      <div class="hidden">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">{isMonths ? t.month : t.day}</th>
              <th scope="col">{counted}</th>
            </tr>
          </thead>
          <tbody>
            {periods.map(({ key, total }) => (
              <tr key={key}>
                <th scope="row">{nameOfPeriod(key)}</th>
                <td>{shown(total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
};
