import type { Delivery } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, askPage } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { webhookWords } from '../locale/webhooks.ts';
import { Section } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Select } from '../ui/select.tsx';
import styles from './deliveries.module.css';
import { DeliveryRow } from './delivery-row.tsx';
import { RedeliverAll } from './redeliver-all.tsx';

const PAGE = 20;

/** How often the log is read while something in it is under way and the page is seen (milliseconds). */
const AGAIN_MS = 4_000;

/** The log of a webhook in a state, read page by page. */
const useLog = (uuid: string, state: string) => {
  const [deliveries, setDeliveries] = useState<readonly Delivery[]>();
  const [next, setNext] = useState<string>();
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [turn, setTurn] = useState(0);
  const query = new URLSearchParams({ limit: String(PAGE), ...(state && { state }) });
  const first = `webhooks/${uuid}/deliveries/?${query}`;
  const read = (path: string, before: readonly Delivery[], isWanted = () => true) => {
    setBusy(true);
    setError('');
    return askPage<Delivery>(path)
      .then(
        (page) => {
          if (!isWanted()) return;
          const known = new Set(page.items.map(({ id }) => id));
          setDeliveries([...before.filter(({ id }) => !known.has(id)), ...page.items]);
          setNext(page.next);
        },
        (failure) => {
          if (!(failure instanceof ApiError)) throw failure;
          if (isWanted()) setError(words.value.errors.page);
        },
      )
      .finally(() => isWanted() && setBusy(false));
  };
  useEffect(() => {
    let isWanted = true;
    void read(first, [], () => isWanted);
    return () => {
      isWanted = false;
    };
  }, [first, turn]);
  const isOnFirstPage = (deliveries?.length ?? 0) <= PAGE;
  const isUnderWay = deliveries?.some((one) => one.state === 'pending') ?? false;
  useEffect(() => {
    if (!isUnderWay || !isOnFirstPage) return;
    const timer = setInterval(
      () => document.visibilityState === 'visible' && setTurn((n) => n + 1),
      AGAIN_MS,
    );
    return () => clearInterval(timer);
  }, [isUnderWay, isOnFirstPage, first]);
  return {
    deliveries,
    error,
    isBusy,
    hasMore: next !== undefined,
    more: () => void read(next ?? first, deliveries ?? []),
    refresh: () => setTurn((n) => n + 1),
  };
};

/** What was delivered to a webhook, and what was not, each with its attempts. */
export const Deliveries = ({ uuid, isGone }: { uuid: string; isGone: boolean }) => {
  const t = webhookWords.value;
  const [state, setState] = useState('');
  const { deliveries, error, isBusy, hasMore, more, refresh } = useLog(uuid, state);
  const isEmpty = deliveries?.length === 0;
  return (
    <Section title={t.log} hint={t.logHint}>
      <div class={styles.filters}>
        <Select
          label={t.state}
          value={state}
          options={[['', t.allStates], ...Object.entries(t.states)]}
          onChoose={setState}
        />
        <Button isBusy={isBusy} onClick={refresh}>
          {t.refresh}
        </Button>
      </div>
      {state === 'failed' && !isGone && !isEmpty && <RedeliverAll uuid={uuid} onDone={refresh} />}
      {!isEmpty && deliveries && (
        <ul class={styles.list} aria-label={t.log}>
          {deliveries.map((one) => (
            <DeliveryRow key={one.id} delivery={one} isGone={isGone} onRedelivered={refresh} />
          ))}
        </ul>
      )}
      {isEmpty && (
        <div class={styles.empty}>
          <p>{state === '' ? t.noDeliveries : t.noSuchDeliveries}</p>
          {state === '' && <p>{t.noDeliveriesHint}</p>}
        </div>
      )}
      {error && (
        <Notice>
          {error} <Button onClick={more}>{words.value.common.retry}</Button>
        </Notice>
      )}
      {hasMore && !error && (
        <Button isBusy={isBusy} onClick={more}>
          {t.older}
        </Button>
      )}
    </Section>
  );
};
