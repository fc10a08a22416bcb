import type { Attempt } from '@parlor/shared';
import { count } from '../locale/locale.ts';
import { webhookWords } from '../locale/webhooks.ts';
import styles from './webhook.module.css';

/** What a target has answered, or why it has not. */
export const Answer = ({ attempt }: { attempt: Omit<Attempt, 'at'> }) => {
  const t = webhookWords.value;
  const { status, duration_ms, error, response } = attempt;
  return (
    <div class={styles.answer}>
      <p>
        {status === null ? t.noAnswer : t.status(String(status))} ·{' '}
        {t.duration(count(Math.round(duration_ms)))}
      </p>
      {status === null && error && <p class={styles.failure}>{error}</p>}
      {response && (
        <>
          <p class="hidden">{t.answer}</p>
          <pre>{response}</pre>
        </>
      )}
    </div>
  );
};
