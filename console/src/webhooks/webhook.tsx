import type { NewWebhook, Webhook as Subscription } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { ApiError, type Tagged } from '../api/client.ts';
import { Resource } from '../api/resource.ts';
import { words } from '../locale/locale.ts';
import { webhookWords } from '../locale/webhooks.ts';
import { Page, Section } from '../shell/page.tsx';
import { BackLink } from '../ui/back-link.tsx';
import { Button } from '../ui/button.tsx';
import { Failed } from '../ui/failed.tsx';
import { Notice } from '../ui/notice.tsx';
import { remove } from '../ui/removal.ts';
import { toast } from '../ui/toast.tsx';
import { Deliveries } from './deliveries.tsx';
import { Secret } from './secret.tsx';
import { Settings } from './settings.tsx';
import { TestSend } from './test-send.tsx';
import { Verify } from './verify.tsx';

const GONE = 404;

/** A webhook as it stands. */
type Loaded = Tagged<Subscription> | 'loading' | 'gone' | 'failed';

const useWebhook = (uuid: string) => {
  const [webhook, setWebhook] = useState<Loaded>('loading');
  const [resource] = useState(() => new Resource<Subscription>(`webhooks/${uuid}/`));
  const orGone = (error: unknown): void => {
    if (!(error instanceof ApiError) || error.status !== GONE) throw error;
    setWebhook('gone');
  };
  /** Reads it again; what stands here stays where that fails. @throws ApiError */
  const look = () => resource.read().then(setWebhook, orGone);
  const load = async (): Promise<void> => {
    try {
      await look();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setWebhook('failed');
    }
  };
  useEffect(() => void load(), []);
  return {
    webhook,
    load,
    look,
    /** Changes what stood here as `etag` says. @throws ApiError */
    change: async (wanted: Partial<NewWebhook>, etag: string) =>
      setWebhook(await resource.patch(wanted, etag)),
  };
};

const One = ({ uuid }: { uuid: string }) => {
  const t = webhookWords.value;
  const { route } = useLocation();
  const { webhook, load, look, change } = useWebhook(uuid);
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
      <BackLink href="/console/webhooks">{t.back}</BackLink>
      {webhook === 'loading' && <p role="status">{words.value.common.loading}</p>}
      {webhook === 'gone' && <Notice kind="plain">{t.gone}</Notice>}
      <Failed error={webhook === 'failed' ? words.value.errors.page : ''} onRetry={() => void load()} />
      {isThere && (
        <>
          <Settings webhook={webhook} onChange={change} onStale={look} />
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

/** One webhook: where it goes, its secret, how to check it, and what was delivered. */
export const Webhook = () => {
  const { uuid = '' } = useRoute().params;
  return <One key={uuid} uuid={uuid} />;
};
