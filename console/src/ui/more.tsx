import type { Pages } from '../api/use-pages.ts';
import { Button } from './button.tsx';
import { Failed } from './failed.tsx';

/** The end of a list: what follows, or why it could not be read. @param label of the button that reads on */
export const More = ({ pages, label }: { pages: Pages<unknown>; label: string }) => {
  const { error, isBusy, hasMore, more } = pages;
  if (error) return <Failed error={error} onRetry={more} />;
  return hasMore ? (
    <Button isBusy={isBusy} onClick={more}>
      {label}
    </Button>
  ) : null;
};
