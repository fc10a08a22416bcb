import type { TestDelivery } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { ApiError, ask } from '../api/client.ts';
import { count, words } from '../locale/locale.ts';
import { webhookWords } from '../locale/webhooks.ts';
import { Section } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Answer } from './answer.tsx';

/** Sends an example to the address, and says what came of it. */
export const TestSend = ({ uuid }: { uuid: string }) => {
  const t = webhookWords.value;
  const [result, setResult] = useState<TestDelivery>();
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    setError('');
    setResult(undefined);
    try {
      setResult(await ask<TestDelivery>('POST', `webhooks/${uuid}/test/`));
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      const { errors } = words.value;
      setError(failure.status === 429 ? errors.throttled(failure.retryAfter) : errors.unexpected);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Section title={t.test} hint={t.testHint}>
      <Button isBusy={isBusy} onClick={() => void send()}>
        {t.send}
      </Button>
      <Notice>{error}</Notice>
      {result && (
        <Notice kind={result.delivered ? 'good' : 'error'}>
          {result.delivered ? t.testDelivered(count(Math.round(result.duration_ms))) : t.testFailed}
        </Notice>
      )}
      {result && <Answer attempt={result} />}
    </Section>
  );
};
