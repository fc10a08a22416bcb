import type { Delivery, DeliveryText } from '@parlor/shared';
import { ask } from '../api/client.ts';
import { useReading } from '../api/use-reading.ts';
import { webhookWords } from '../locale/webhooks.ts';
import { Copyable } from '../ui/copyable.tsx';
import { Failed } from '../ui/failed.tsx';
import styles from './deliveries.module.css';

/** JSON as it is read most easily; what is none stays as it is. */
const indented = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** What is sent with a delivery, the same in each attempt. It is copied as it was signed, to the byte. */
export const SentText = ({ delivery }: { delivery: Delivery }) => {
  const t = webhookWords.value;
  const { value, error, refresh } = useReading(() =>
    ask<DeliveryText>('GET', `deliveries/${delivery.id}/body/`),
  );
  if (error !== '') return <Failed error={error} onRetry={refresh} />;
  if (!value) return null;
  return value.body === null ? (
    <p class={styles.minor}>{t.sentErased}</p>
  ) : (
    <Copyable label={t.sent} text={value.body} shown={indented(value.body)} isCode />
  );
};
