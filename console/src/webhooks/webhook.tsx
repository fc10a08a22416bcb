import type { Webhook as Subscription } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { ApiError, askTagged, type Tagged } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { webhookWords } from '../locale/webhooks.ts';
import { Page, Section } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { remove } from '../ui/removal.ts';
import { toast } from '../ui/toast.tsx';
import { Deliveries } from './deliveries.tsx';
import { Secret } from './secret.tsx';
import { Settings } from './settings.tsx';
import { TestSend } from './test-send.tsx';
import { Verify } from './verify.tsx';
import styles from './webhook.module.css';

/** A webhook as it stands. */
type Loaded = Tagged<Subscription> | 'loading' | 'gone' | 'failed';

const useWebhook = (uuid: string) => {
  const [webhook, setWebhook] = useState<Loaded>('loading');
  const read = async (): Promise<void> => {
    try {
      setWebhook(await askTagged<Subscription>('GET', `webhooks/${uuid}/`));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setWebhook(error.status === 404 ? 'gone' : 'failed');
    }
  };
  useEffect(() => void read(), [uuid]);
  return { webhook, read, setWebhook };
};

/** One webhook: where it goes, its secret, how to check it, and what was delivered. */
export const Webhook = () => {
  const t = webhookWords.value;
  const { route } = useLocation();
  const { uuid = '' } = useRoute().params;
  const { webhook, read, setWebhook } = useWebhook(uuid);
  const isThere = typeof webhook === 'object';
  const removeWebhook = ({ etag }: Tagged<Subscription>) => {
    route('/console/webhooks');
    remove({
      path: `webhooks/${uuid}/`,
      etag,
      text: t.removed,
      onFailed: ({ status }) => toast(status === 412 ? t.notRemovedChanged : t.notRemoved),
    });
  };
  return (
    <Page
      title={isThere ? t.names[webhook.object.event] : t.title}
      {...(isThere && { hint: webhook.object.target })}
    >
      <p class={styles.back}>
        <a href="/console/webhooks">{t.back}</a>
      </p>
      {webhook === 'loading' && <p role="status">{words.value.common.loading}</p>}
      {webhook === 'gone' && <Notice kind="plain">{t.gone}</Notice>}
      {webhook === 'failed' && (
        <Notice>
          {words.value.errors.page} <Button onClick={() => void read()}>{words.value.common.retry}</Button>
        </Notice>
      )}
      {isThere && (
        <>
          <Settings webhook={webhook} onChanged={setWebhook} onStale={read} />
          <TestSend uuid={uuid} />
        </>
      )}
      {(isThere || webhook === 'gone') && <Deliveries uuid={uuid} isGone={!isThere} />}
      {isThere && (
        <>
          <Secret uuid={uuid} />
          <Verify />
        </>
      )}
      {isThere && (
        <Section title={t.removeTitle} hint={t.removeHint}>
          <Button kind="danger" onClick={() => removeWebhook(webhook)}>
            {t.remove}
          </Button>
        </Section>
      )}
    </Page>
  );
};
