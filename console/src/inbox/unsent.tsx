import { words } from '../locale/locale.ts';
import { visitorName } from './conversation-list.tsx';
import styles from './inbox.module.css';
import { conversationOf } from './known.ts';
import { unsent } from './outbox.ts';
import type { View } from './views.ts';

/** Leads to what could not be sent in other conversations, which may stand in another view, or further down. */
export const Unsent = ({ view, opened }: { view: View; opened: string | undefined }) => {
  const t = words.value.inbox;
  const names = new Map(unsent.value.map(({ room, name }) => [room, name]));
  names.delete(opened ?? '');
  if (names.size === 0) return null;
  return (
    <p class={styles.unsent}>
      {t.notSent}
      {[...names].map(([room, name]) => {
        const one = conversationOf(room);
        return (
          <a key={room} href={`/console/inbox/${encodeURIComponent(view.name)}/${room}`} dir="auto">
            {one ? visitorName(one) : name}
          </a>
        );
      })}
    </p>
  );
};
