import type { Delivery } from '@parlor/shared';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Pages, usePages } from '../api/use-pages.ts';
import { webhookWords } from '../locale/webhooks.ts';
import { Section } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { More } from '../ui/more.tsx';
import { Select } from '../ui/select.tsx';
import styles from './deliveries.module.css';
import { DeliveryRow } from './delivery-row.tsx';
import { RedeliverAll } from './redeliver-all.tsx';

const PAGE = 20;

/** How often the log is read while something in it is under way and the page is seen (milliseconds). */
const AGAIN_MS = 4_000;

/** The log of a webhook in a state, read again while something in it is under way. */
const useLog = (uuid: string, state: string): Pages<Delivery> => {
  const query = new URLSearchParams({ limit: String(PAGE), ...(state && { state }) });
  const pages = usePages<Delivery>(`webhooks/${uuid}/deliveries/?${query}`);
  const { items = [] } = pages;
  const refresh = useRef(pages.refresh);
  refresh.current = pages.refresh;
  const isChanging = items.length <= PAGE && items.some((one) => one.state === 'pending');
  useEffect(() => {
    if (!isChanging) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && refresh.current(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isChanging]);
  return pages;
};

/** What was delivered to a webhook, and what was not, each with its attempts. */
export const Deliveries = ({ uuid, isGone }: { uuid: string; isGone: boolean }) => {
  const t = webhookWords.value;
  const [state, setState] = useState('');
  const pages = useLog(uuid, state);
  const { items: deliveries, isBusy, refresh } = pages;
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
      <More pages={pages} label={t.older} />
    </Section>
  );
};
