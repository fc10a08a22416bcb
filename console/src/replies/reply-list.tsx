import type { Reply } from '@parlor/shared';
import { words } from '../locale/locale.ts';
import styles from './reply-list.module.css';

/** The saved replies that are offered above the field, the one that Enter takes marked. */
export const ReplyList = ({
  id,
  offered,
  at,
  onChoose,
}: {
  id: string;
  offered: readonly Reply[];
  at: number;
  onChoose(reply: Reply): void;
}) => (
  <div id={id} class={styles.list} role="listbox" aria-label={words.value.replies.title}>
    {offered.map((reply, index) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys
      <div
        key={reply.uuid}
        id={`${id}-${index}`}
        role="option"
        tabIndex={-1}
        aria-selected={index === at}
        // The field keeps the focus.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => onChoose(reply)}
      >
        <span class={styles.name} dir="auto">
          {reply.name}
        </span>
        <kbd>/{reply.shortcut}</kbd>
        <span class={styles.body} dir="auto">
          {reply.body}
        </span>
      </div>
    ))}
  </div>
);
