import type { Lack } from '../api/chunk.ts';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { reload } from '../ui/leaving.ts';
import styles from './lacking.module.css';

/** What of the console does not come, in words. */
export const lackText = (lack: Lack): string =>
  lack === 'updated' ? words.value.errors.updated : words.value.errors.part;

/** The ways on from there: a reload takes the files that the server has now. */
export const LackWays = ({
  lack,
  isBusy = false,
  onRetry,
}: {
  lack: Lack;
  isBusy?: boolean;
  onRetry(): void;
}) => {
  const { common } = words.value;
  return (
    <span class={styles.ways}>
      {lack !== 'updated' && (
        <Button isBusy={isBusy} onClick={onRetry}>
          {common.retry}
        </Button>
      )}
      {lack !== 'unreachable' && <Button onClick={reload}>{common.reload}</Button>}
    </span>
  );
};
