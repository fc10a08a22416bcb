import { words } from '../locale/locale.ts';
import { Dialog } from '../ui/dialog.tsx';
import styles from './keys.module.css';

/** What a key does, by its letter. */
export const KEYS = {
  j: 'next',
  k: 'previous',
  r: 'reply',
  n: 'note',
  a: 'assign',
  s: 'snooze',
  t: 'tag',
  e: 'done',
  u: 'unread',
  '?': 'help',
} as const;

export type Act = (typeof KEYS)[keyof typeof KEYS];

/** What a key press asks for; undefined where it is meant for a field, or for the browser. */
export const actOf = (event: KeyboardEvent): Act | undefined => {
  if (event.metaKey || event.ctrlKey || event.altKey || event.isComposing) return undefined;
  if (
    event.target instanceof HTMLElement &&
    event.target.closest('input, textarea, select, dialog, [role="menu"]')
  ) {
    return undefined;
  }
  return Object.hasOwn(KEYS, event.key) ? KEYS[event.key as keyof typeof KEYS] : undefined;
};

/** The keys, said in words. */
export const KeysHelp = ({ onClose }: { onClose(): void }) => {
  const t = words.value.inbox;
  return (
    <Dialog title={t.keys} onClose={onClose}>
      <dl class={styles.keys}>
        {Object.entries(KEYS).map(([key, act]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{t.keysOf[act]}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
};
