import type { Delivery, Webhook } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ask } from '../api/client.ts';
import { useReading } from '../api/use-reading.ts';
import { ago } from '../locale/locale.ts';
import { webhookWords } from '../locale/webhooks.ts';
import { ListPage } from '../shell/list-page.tsx';
import { Rows } from '../ui/listing.tsx';
import { removed } from '../ui/removal.ts';
import { AddWebhook } from './add-webhook.tsx';
import { StateDot } from './state-dot.tsx';
import styles from './webhooks.module.css';

/** Of the newest deliveries, this many say how each webhook is doing. */
const LATEST = 200;

interface Loaded {
  webhooks: readonly Webhook[];
  /** The newest delivery of each webhook that has one among the latest. */
  latest: ReadonlyMap<string, Delivery>;
}

const read = async (): Promise<Loaded> => {
  const [webhooks, deliveries] = await Promise.all([
    ask<Webhook[]>('GET', 'webhooks/?limit=200'),
    ask<Delivery[]>('GET', `deliveries/?limit=${LATEST}`),
  ]);
  // Newest first: what is set last stays.
  return { webhooks, latest: new Map(deliveries.reverse().map((one) => [one.webhook.uuid, one])) };
};

const lastOf = (delivery: Delivery | undefined): string => {
  const t = webhookWords.value;
  if (!delivery) return t.nothingSent;
  const { state, attempts, created_at } = delivery;
  const last = attempts.at(-1);
  if (state === 'pending') return last ? t.lastPending(ago(last.at)) : t.underWay;
  const when = ago(last?.at ?? created_at);
  return state === 'delivered' ? t.lastDelivered(when) : t.lastFailed(when);
};

/** The webhooks of one address, a row for each event. */
const Target = ({ target, webhooks, latest }: { target: string } & Loaded) => {
  const t = webhookWords.value;
  return (
    <section class={styles.target}>
      <h2 dir="ltr">{target}</h2>
      <Rows label={target}>
        {webhooks.map(({ uuid, event }) => (
          <li key={uuid}>
            <a href={`/console/webhooks/${uuid}`}>
              <StateDot state={latest.get(uuid)?.state} />
              <span class={styles.what}>
                <b>{t.names[event]}</b>
                <code>{event}</code>
              </span>
              <span class={styles.last}>{lastOf(latest.get(uuid))}</span>
            </a>
          </li>
        ))}
      </Rows>
    </section>
  );
};

/** The account's webhooks, by address. */
export const Webhooks = () => {
  const t = webhookWords.value;
  const { route } = useLocation();
  const { value, error, refresh } = useReading(read);
  const [isAdding, setAdding] = useState(false);
  const shown = value?.webhooks.filter(({ uuid }) => !removed.value.has(`webhooks/${uuid}/`));
  const targets = [...new Set(shown?.map(({ target }) => target))];
  return (
    <>
      <ListPage
        texts={t}
        add={t.add}
        onAdd={() => setAdding(true)}
        items={shown}
        error={error}
        onRetry={refresh}
      >
        {value &&
          targets.map((target) => (
            <Target
              key={target}
              target={target}
              webhooks={shown?.filter((one) => one.target === target) ?? []}
              latest={value.latest}
            />
          ))}
      </ListPage>
      {isAdding && (
        <AddWebhook
          onClose={() => setAdding(false)}
          onAdded={(webhooks) => {
            const [only] = webhooks;
            if (webhooks.length === 1 && only) route(`/console/webhooks/${only.uuid}`);
            else refresh();
          }}
        />
      )}
    </>
  );
};
