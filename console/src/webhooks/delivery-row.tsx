import type { Delivery } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { count, moment, shortMoment } from '../locale/locale.ts';
import { webhookWords } from '../locale/webhooks.ts';
import { me } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { Answer } from './answer.tsx';
import styles from './deliveries.module.css';
import { redeliver } from './redeliver.ts';
import { SentText } from './sent-text.tsx';
import { StateDot } from './state-dot.tsx';

const summaryOf = ({ attempts }: Delivery): string => {
  const last = attempts.at(-1);
  const t = webhookWords.value;
  if (!last) return t.noAttempts;
  return last.status === null ? (last.error ?? t.noAnswer) : t.status(String(last.status));
};

const Details = ({
  delivery,
  isGone,
  onRedelivered,
}: {
  delivery: Delivery;
  isGone: boolean;
  onRedelivered(): void;
}) => {
  const t = webhookWords.value;
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const again = async () => {
    setBusy(true);
    setError('');
    try {
      await redeliver(delivery);
      toast(t.redelivered);
      onRedelivered();
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure.status === 409 ? t.erased : t.notRedelivered);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class={styles.details}>
      <p class={styles.minor}>
        {t.id}: <code>{delivery.event_id}</code>
      </p>
      {delivery.next_attempt_at && (
        <p class={styles.minor}>{t.nextAttempt(moment(delivery.next_attempt_at))}</p>
      )}
      {delivery.attempts.length === 0 ? (
        <p>{t.noAttempts}</p>
      ) : (
        <ol aria-label={t.attempts}>
          {delivery.attempts.map((attempt, n) => (
            <li key={attempt.at}>
              <p class={styles.attempt}>
                <b>{t.attempt(count(n + 1))}</b>
                <time dateTime={attempt.at}>{moment(attempt.at)}</time>
              </p>
              <Answer attempt={attempt} />
            </li>
          ))}
        </ol>
      )}
      {me.value?.widgets === null && <SentText delivery={delivery} />}
      <Notice>{error}</Notice>
      {!isGone && (
        <div>
          <Button isBusy={isBusy} onClick={() => void again()}>
            {t.redeliver}
          </Button>
        </div>
      )}
    </div>
  );
};

/** A delivery, with its attempts where it is opened. */
export const DeliveryRow = (props: Parameters<typeof Details>[0]) => {
  const t = webhookWords.value;
  const { delivery } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <button type="button" class={styles.row} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <StateDot state={delivery.state} />
        <span class={styles.state}>{t.states[delivery.state]}</span>
        <span class={styles.summary}>{summaryOf(delivery)}</span>
        <time dateTime={delivery.created_at}>{shortMoment(delivery.created_at)}</time>
        <svg class={styles.arrow} viewBox="0 0 12 12" aria-hidden="true">
          <path d="m3 4.5 3 3 3-3" />
        </svg>
      </button>
      {isOpen && <Details {...props} />}
    </li>
  );
};
