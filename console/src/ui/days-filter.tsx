import { dayWords } from '../locale/days.ts';
import { daysOfRange, RANGES } from './days.ts';
import styles from './days-filter.module.css';
import { Field } from './field.tsx';
import { Select } from './select.tsx';

const BETWEEN = 'between';

/**
 * Chooses days: a range with a name, or any two.
 * @param query what the page's address says: `days`, or `from` and `to`
 */
export const DaysFilter = ({
  query,
  fallback = '',
  onChoose,
}: {
  query: Readonly<Record<string, string>>;
  /** The range where the address says nothing; empty: all days. */
  fallback?: '' | (typeof RANGES)[number];
  onChoose(query: Record<'days' | 'from' | 'to', string>): void;
}) => {
  const t = dayWords.value;
  const { days = '', from = '', to = '' } = query;
  const isBetween = days === BETWEEN || from !== '' || to !== '';
  const value = isBetween ? BETWEEN : days || fallback;
  const ranges = RANGES.map((range) => [range, t.ranges[range]] as const);
  const choose = (wanted: string) => {
    if (wanted !== BETWEEN) return onChoose({ days: wanted === fallback ? '' : wanted, from: '', to: '' });
    const { start, end } = daysOfRange('30');
    onChoose({ days: '', from: start, to: end });
  };
  return (
    <div class={styles.days}>
      <Select
        label={t.label}
        value={value}
        options={[...(fallback === '' ? [['', t.all] as const] : []), ...ranges, [BETWEEN, t.between]]}
        onChoose={choose}
      />
      {isBetween && (
        <>
          <Field
            label={t.from}
            name="from"
            type="date"
            value={from}
            max={to}
            onInput={({ currentTarget }) => onChoose({ days: BETWEEN, from: currentTarget.value, to })}
          />
          <Field
            label={t.to}
            name="to"
            type="date"
            value={to}
            min={from}
            onInput={({ currentTarget }) => onChoose({ days: BETWEEN, from, to: currentTarget.value })}
          />
        </>
      )}
    </div>
  );
};
