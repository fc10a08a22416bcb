import type { Pages } from '../api/use-pages.ts';
import { words } from '../locale/locale.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

/** The end of a list: what follows, or why it could not be read. @param label of the button that reads on */
export const More = ({ pages, label }: { pages: Pages<unknown>; label: string }) => {
  const { error, isBusy, hasMore, more } = pages;
  if (error) {
    return (
      <Notice>
        {error} <Button onClick={more}>{words.value.common.retry}</Button>
      </Notice>
    );
  }
  return hasMore ? (
    <Button isBusy={isBusy} onClick={more}>
      {label}
    </Button>
  ) : null;
};
