import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { count } from '../locale/locale.ts';
import { webhookWords } from '../locale/webhooks.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { redeliverAll } from './redeliver.ts';
import styles from './webhook.module.css';

/** Sends all failed deliveries of a webhook once more; it can be stopped. */
export const RedeliverAll = ({ uuid, onDone }: { uuid: string; onDone(): void }) => {
  const t = webhookWords.value;
  const [sent, setSent] = useState(0);
  const [state, setState] = useState<'idle' | 'busy' | 'done' | 'failed'>('idle');
  const turn = useRef(0);
  useEffect(() => () => void turn.current++, []);
  const run = async () => {
    const own = ++turn.current;
    setSent(0);
    setState('busy');
    try {
      await redeliverAll(uuid, setSent, () => own !== turn.current);
      if (own === turn.current) setState('done');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (own === turn.current) setState('failed');
    }
    onDone();
  };
  const stop = () => {
    turn.current++;
    setState('done');
  };
  return (
    <>
      <div class={styles.actions}>
        <Button isBusy={state === 'busy'} onClick={() => state !== 'busy' && void run()}>
          {t.redeliverAll}
        </Button>
        {state === 'busy' && <Button onClick={stop}>{t.stop}</Button>}
      </div>
      {state === 'busy' && <Notice kind="plain">{t.redelivering(count(sent))}</Notice>}
      {state === 'done' && <Notice kind="good">{t.redeliveredAll(count(sent))}</Notice>}
      {state === 'failed' && <Notice>{t.notAllRedelivered(count(sent))}</Notice>}
    </>
  );
};
