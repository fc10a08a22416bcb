import type { ComponentChildren } from 'preact';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Listing } from '../ui/listing.tsx';
import { Page } from './page.tsx';

/**
 * A page that lists things and has one more made of them: by a button beside its title, or in the middle while there
 * are none.
 */
export const ListPage = ({
  texts: { title, hint, empty, emptyHint },
  add,
  onAdd,
  items,
  error,
  onRetry,
  children,
}: {
  texts: Readonly<Record<'title' | 'hint' | 'empty' | 'emptyHint', string>>;
  /** The words of the button. */
  add: string;
  onAdd(): void;
  /** What is shown of what was read; undefined until it was. */
  items: readonly unknown[] | undefined;
  error: string;
  onRetry(): void;
  /** The list, where there is something to be shown. */
  children: ComponentChildren;
}) => {
  const button = (
    <Button kind="primary" onClick={onAdd}>
      {add}
    </Button>
  );
  return (
    <Page title={title} hint={hint} action={items && items.length > 0 && button}>
      <Listing
        items={items}
        error={error}
        onRetry={onRetry}
        empty={
          <Empty title={empty} hint={emptyHint}>
            {button}
          </Empty>
        }
      >
        {children}
      </Listing>
    </Page>
  );
};
