import type { Reply } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { useReading } from '../api/use-reading.ts';
import { words } from '../locale/locale.ts';
import { ListPage } from '../shell/list-page.tsx';
import { Rows } from '../ui/listing.tsx';
import { AddReply, ChangeReply } from './change-reply.tsx';
import { keptReply } from './kept-reply.ts';
import styles from './replies.module.css';
import { readReplies, replies } from './replies.ts';

/** The texts that members send again and again. */
export const RepliesPage = () => {
  const t = words.value.replies;
  // null: a new one.
  const [changing, setChanging] = useState<Reply | null>();
  const { error, refresh } = useReading(async () => {
    await readReplies();
    // Whoever was cut off goes on where they were.
    setChanging((now) => (now === undefined ? keptReply(replies.value ?? []) : now));
  });
  const all = replies.value;
  return (
    <>
      <ListPage
        texts={t}
        add={t.add}
        onAdd={() => setChanging(null)}
        items={all}
        error={error}
        onRetry={refresh}
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
      </ListPage>
      {changing === null && <AddReply onClose={() => setChanging(undefined)} onChanged={refresh} />}
      {changing && (
        <ChangeReply reply={changing} onClose={() => setChanging(undefined)} onChanged={refresh} />
      )}
    </>
  );
};
