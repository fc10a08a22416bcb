import { words } from '../locale/locale.ts';
import { type Command, isTyped } from '../shell/commands.ts';
import { Dialog } from '../ui/dialog.tsx';
import { letterOf } from '../ui/keys.ts';
import { UNDO_KEY } from '../ui/toast.tsx';
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
  x: 'select',
  '?': 'help',
} as const;

export type Act = (typeof KEYS)[keyof typeof KEYS];

/** What a key press asks for; undefined where it is meant for a field, or for the browser. */
export const actOf = (event: KeyboardEvent): Act | undefined => {
  if (event.metaKey || event.ctrlKey || event.altKey || isTyped(event)) return undefined;
  const letter = letterOf(event);
  return Object.hasOwn(KEYS, letter) ? KEYS[letter as keyof typeof KEYS] : undefined;
};

/** What is done once more while the key is held: the others would be done to one conversation after another. */
export const REPEATED: ReadonlySet<Act> = new Set(['next', 'previous']);

/** Those for which a conversation has to be open. */
const OF_ONE: ReadonlySet<Act> = new Set([
  'reply',
  'note',
  'assign',
  'snooze',
  'tag',
  'done',
  'unread',
  'select',
]);

/** What can be done, in words. @param isOpen whether a conversation is */
export const commandsOf = (isOpen: boolean, run: (act: Act) => void): Command[] =>
  Object.entries(KEYS)
    .filter(([, act]) => isOpen || !OF_ONE.has(act))
    .map(([key, act]) => ({ key, label: words.value.inbox.keysOf[act], run: () => run(act) }));

/** The keys, said in words. */
export const KeysHelp = ({ onClose }: { onClose(): void }) => {
  const t = words.value.inbox;
  return (
    <Dialog title={t.keys} onClose={onClose}>
      <dl class={styles.keys}>
        {[...Object.entries(KEYS), [UNDO_KEY, 'undo'] as const].map(([key, act]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{act === 'undo' ? t.undo : t.keysOf[act]}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
};
