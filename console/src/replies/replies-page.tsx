import type { Reply } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { useReading } from '../api/use-reading.ts';
import { words } from '../locale/locale.ts';
import { Page } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Listing, Rows } from '../ui/listing.tsx';
import { ChangeReply } from './change-reply.tsx';
import styles from './replies.module.css';
import { readReplies, replies } from './replies.ts';

/** The texts that members send again and again. */
export const RepliesPage = () => {
  const t = words.value.replies;
  const { error, refresh } = useReading(readReplies);
  // null: a new one.
  const [changing, setChanging] = useState<Reply | null>();
  const add = (
    <Button kind="primary" onClick={() => setChanging(null)}>
      {t.add}
    </Button>
  );
  const all = replies.value;
  return (
    <Page title={t.title} hint={t.hint} action={all && all.length > 0 && add}>
      <Listing
        items={all}
        error={error}
        onRetry={refresh}
        empty={
          <Empty title={t.empty} hint={t.emptyHint}>
            {add}
          </Empty>
        }
      >
        <Rows label={t.title}>
          {all?.map((reply) => (
            <li key={reply.uuid} class={styles.row}>
              <button type="button" onClick={() => setChanging(reply)}>
                <span class={styles.name} dir="auto">
                  {reply.name}
                </span>
                <kbd>/{reply.shortcut}</kbd>
                <span class={styles.body} dir="auto">
                  {reply.body}
                </span>
              </button>
            </li>
          ))}
        </Rows>
      </Listing>
      {changing !== undefined && (
        <ChangeReply
          reply={changing ?? undefined}
          onClose={() => setChanging(undefined)}
          onChanged={refresh}
        />
      )}
    </Page>
  );
};
