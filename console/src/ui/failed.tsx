import { words } from '../locale/locale.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

/** Why something could not be read, with a button that reads it again; nothing where nothing is wrong. */
export const Failed = ({ error, onRetry }: { error: string; onRetry(): void }) => (
  <Notice>
    {error && (
      <>
        {error} <Button onClick={onRetry}>{words.value.common.retry}</Button>
      </>
    )}
  </Notice>
);
