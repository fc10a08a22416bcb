import type { ComponentChildren } from 'preact';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
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
