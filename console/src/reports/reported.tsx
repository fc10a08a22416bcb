import type { ComponentChildren } from 'preact';
import { words } from '../locale/locale.ts';
import { Failed } from '../ui/failed.tsx';
import styles from './reports.module.css';
import type { Reading } from './use-report.ts';

/** A report as far as it is there: what is shown until then, and where it could not be read. */
export const Reported = <T,>({
  reading: { report, state, refusal, retry },
  children,
}: {
  reading: Reading<T>;
  children(report: T): ComponentChildren;
}) => (
  <>
    <Failed error={state === 'failed' ? refusal || words.value.errors.page : ''} onRetry={retry} />
    {state !== 'failed' && report && (
      <div
        class={`${styles.report} ${state === 'loading' ? styles.stale : ''}`}
        aria-busy={state === 'loading'}
      >
        {children(report)}
      </div>
    )}
    {state === 'loading' && (
      <p class={report ? 'hidden' : styles.loading} role="status">
        {words.value.common.loading}
      </p>
    )}
  </>
);
