import type { Conversation, Reply } from '@parlor/shared';
import { listed, words } from '../locale/locale.ts';
import { effectOf } from './acts.ts';
import styles from './composer.module.css';
import { nameOf } from './people.ts';

/** What will be done together with an answer, and a button that takes that away. */
export const ReplyEffect = ({ one, reply, onDrop }: { one: Conversation; reply: Reply; onDrop(): void }) => {
  const t = words.value.replies;
  const { add_tags = [], assignee, status } = effectOf(reply);
  const done = [
    ...add_tags.filter((tag) => !one.tags.includes(tag)).map((tag) => t.tagged(tag)),
    ...(assignee ? [t.assigned(nameOf(assignee))] : []),
    ...(status ? [t.statuses[status as 'open' | 'done']] : []),
  ];
  if (done.length === 0) return null;
  return (
    <p class={styles.effect}>
      <span dir="auto">{t.withIt(listed(done))}</span>
      <button type="button" onClick={onDrop}>
        {t.withoutIt}
      </button>
    </p>
  );
};
