import type { RotatedWebhookSecret, WebhookSecret } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { ApiError, ask } from '../api/client.ts';
import { useCreation } from '../api/create.ts';
import { moment, words } from '../locale/locale.ts';
import { webhookWords } from '../locale/webhooks.ts';
import { Section } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Copyable } from '../ui/copyable.tsx';
import { Notice } from '../ui/notice.tsx';
import styles from './webhook.module.css';

/** The secret of a webhook: shown when it is asked for, and replaced by another one. */
export const Secret = ({ uuid }: { uuid: string }) => {
  const t = webhookWords.value;
  const [shown, setShown] = useState<{ secret: string; until?: string }>();
  const [error, setError] = useState('');
  const [busy, setBusy] = useState<'show' | 'rotate'>();
  const { create, forget } = useCreation();
  const run = async (kind: 'show' | 'rotate', work: () => Promise<{ secret: string; until?: string }>) => {
    setBusy(kind);
    setError('');
    try {
      setShown(await work());
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      const { errors } = words.value;
      setError(failure.status === 429 ? errors.throttled(failure.retryAfter) : errors.unexpected);
    } finally {
      setBusy(undefined);
    }
  };
  const show = () =>
    run('show', async () => {
      const now = await ask<WebhookSecret>('GET', `webhooks/${uuid}/secret/`);
      // Whoever has seen what came of it replaces that one.
      forget();
      return now;
    });
  const rotate = () =>
    run('rotate', async () => {
      const path = `webhooks/${uuid}/secret/rotate/`;
      const { secret, previous_expires_at } = await create<RotatedWebhookSecret>(path);
      return { secret, until: moment(previous_expires_at) };
    });
  return (
    <Section title={t.secret} hint={t.secretHint}>
      {shown && <Copyable label={t.secret} text={shown.secret} />}
      {shown?.until && <Notice kind="plain">{t.rotated(shown.until)}</Notice>}
      <Notice>{error}</Notice>
      <div class={styles.actions}>
        {shown ? (
          <Button onClick={() => setShown(undefined)}>{t.hide}</Button>
        ) : (
          <Button isBusy={busy === 'show'} onClick={() => void show()}>
            {t.show}
          </Button>
        )}
        <Button isBusy={busy === 'rotate'} onClick={() => void rotate()}>
          {t.rotate}
        </Button>
      </div>
    </Section>
  );
};
