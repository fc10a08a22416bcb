import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { Card } from './card.tsx';

/** The server has not said who is signed in. */
export const Unreachable = ({ onRetry }: { onRetry(): void }) => (
  <Card title={words.value.errors.offline}>
    <Button kind="primary" onClick={onRetry}>
      {words.value.common.retry}
    </Button>
  </Card>
);
