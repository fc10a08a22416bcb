import { words } from '../locale/locale.ts';
import { Text } from '../ui/text.tsx';
import { discard, type Outgoing, retry } from './outbox.ts';
import styles from './timeline.module.css';

/** What is on its way, or could not be sent. @param onEdit gets what is discarded, where there is a field for it */
export const Waiting = ({ one, onEdit }: { one: Outgoing; onEdit?(one: Outgoing): void }) => {
  const t = words.value.inbox;
  const edit = () => {
    const discarded = discard(one.key);
    if (discarded) onEdit?.(discarded);
  };
  return (
    <li
      class={`${styles.line} ${one.isNote ? styles.note : styles.ours} ${styles.first} ${styles[one.state]}`}
    >
      <p class={styles.bubble} dir="auto">
        <Text text={one.body} />
      </p>
      <p class={styles.state} role={one.state === 'failed' ? 'alert' : 'status'}>
        {one.state === 'sending' ? (
          t.sending
        ) : (
          <>
            {t.notSent}{' '}
            <button type="button" onClick={() => retry(one.key)}>
              {words.value.common.retry}
            </button>{' '}
            <button type="button" onClick={() => edit()}>
              {t.discard}
            </button>
          </>
        )}
      </p>
    </li>
  );
};
