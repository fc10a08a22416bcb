import type { Reply } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import { words } from '../locale/locale.ts';
import { Page } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Notice } from '../ui/notice.tsx';
import { ChangeReply } from './change-reply.tsx';
import styles from './replies.module.css';
import { readReplies, replies } from './replies.ts';

/** The texts that members send again and again. */
export const RepliesPage = () => {
  const t = words.value.replies;
  const [error, setError] = useState('');
  // null: a new one.
  const [changing, setChanging] = useState<Reply | null>();
  const load = () => {
    setError('');
    return readReplies().catch(() => setError(words.value.errors.page));
  };
  useEffect(() => void load(), []);
  const add = (
    <Button kind="primary" onClick={() => setChanging(null)}>
      {t.add}
    </Button>
  );
  const all = replies.value;
  return (
    <Page title={t.title} hint={t.hint} action={all && all.length > 0 && add}>
      {error && (
        <Notice>
          {error} <Button onClick={load}>{words.value.common.retry}</Button>
        </Notice>
      )}
      {!all && !error && <p role="status">{words.value.common.loading}</p>}
      {all?.length === 0 && (
        <Empty title={t.empty} hint={t.emptyHint}>
          {add}
        </Empty>
      )}
      {all && all.length > 0 && (
        <ul class={styles.list}>
          {all.map((reply) => (
            <li key={reply.uuid}>
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
        </ul>
      )}
      {changing !== undefined && (
        <ChangeReply
          reply={changing ?? undefined}
          onClose={() => setChanging(undefined)}
          onChanged={() => void load()}
        />
      )}
    </Page>
  );
};
