import { useEffect } from 'preact/hooks';
import { awaited, lacking } from '../api/chunk.ts';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { LackWays, lackText } from './lack-said.tsx';
import styles from './lacking.module.css';

const retry = (): void => {
  for (const one of lacking.value) one.again();
};
const dismiss = (): void => {
  lacking.value = [];
};

/** Says at the edge of every page what of the console is lacking, and that a page is being waited for. */
export const LackingParts = () => {
  const [first] = lacking.value;
  useEffect(() => {
    addEventListener('online', retry);
    return () => removeEventListener('online', retry);
  }, []);
  return (
    <div class={styles.place} role="status">
      {first && (
        <div class={styles.said}>
          <span>{lackText(first.lack)}</span>
          <LackWays lack={first.lack} onRetry={retry} />
          <Button kind="quiet" onClick={dismiss}>
            {words.value.common.close}
          </Button>
        </div>
      )}
      {awaited.value > 0 && <div class={styles.said}>{words.value.common.loading}</div>}
    </div>
  );
};
