import type { Conversation } from '@parlor/shared';
import type { Signal } from '@preact/signals';
import { words } from '../locale/locale.ts';
import { Icon } from '../ui/icon.tsx';
import styles from './actions.module.css';
import { assign, flipTag, reopen, snooze, toggleDone } from './acts.ts';
import { AssignMenu, type MenuState, SnoozeMenu, TagMenu } from './menus.tsx';

/** Which of the menus is open, also by a key. */
export type OpenMenu = 'assign' | 'snooze' | 'tag' | undefined;

/** What of `open` concerns one menu. */
export const stateOf = (open: Signal<OpenMenu>, name: NonNullable<OpenMenu>): MenuState => ({
  isOpen: open.value === name,
  onToggle: (isOpen) => {
    if (isOpen) open.value = name;
    else if (open.value === name) open.value = undefined;
  },
});

/** What is done with a conversation, each with its key. */
export const Actions = ({ one, open }: { one: Conversation; open: Signal<OpenMenu> }) => {
  const t = words.value.inbox;
  return (
    <div class={styles.actions}>
      <AssignMenu
        {...stateOf(open, 'assign')}
        assignee={one.assignee}
        onAssign={(uuid) => void assign(one, uuid)}
      />
      <TagMenu {...stateOf(open, 'tag')} tags={one.tags} onFlip={(tag) => void flipTag(one, tag)} />
      {one.status === 'snoozed' ? (
        <button key="reopen" type="button" class={styles.done} onClick={() => reopen(one)}>
          <Icon name="reopen" />
          {t.reopen}
        </button>
      ) : (
        <SnoozeMenu {...stateOf(open, 'snooze')} onSnooze={(at) => void snooze(one, at)} />
      )}
      <button key="done" type="button" class={styles.done} onClick={() => toggleDone(one)}>
        <Icon name={one.status === 'done' ? 'reopen' : 'done'} />
        {one.status === 'done' ? t.reopen : t.done}
      </button>
    </div>
  );
};
