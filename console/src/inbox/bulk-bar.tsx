import { useSignal } from '@preact/signals';
import { words } from '../locale/locale.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { type OpenMenu, stateOf } from './actions.tsx';
import { assignAll, finishAll, snoozeAll, tagAll } from './bulk-acts.ts';
import styles from './bulk-bar.module.css';
import { AssignMenu, SnoozeMenu, TagMenu } from './menus.tsx';
import { flipAll, selected, selectNone } from './selection.ts';
import { list } from './store.ts';

/** What is done with the conversations that are selected. */
export const BulkBar = () => {
  const t = words.value.inbox;
  const open = useSignal<OpenMenu>(undefined);
  const all = selected.value;
  const isAll = all.length > 0 && all.length === list.value.length;
  return (
    <div class={styles.bar} role="toolbar" aria-label={t.selection}>
      <label class={styles.all}>
        <input type="checkbox" checked={isAll} onChange={flipAll} />
        <span>{t.selected(all.length)}</span>
      </label>
      <span class="hidden" role="status">
        {all.length > 0 && t.selected(all.length)}
      </span>
      {all.length > 0 && (
        <>
          <AssignMenu
            {...stateOf(open, 'assign')}
            assignee={undefined}
            onAssign={(uuid) => void assignAll(all, uuid)}
          />
          <TagMenu {...stateOf(open, 'tag')} tags={[]} onFlip={(tag) => void tagAll(all, tag)} />
          <SnoozeMenu {...stateOf(open, 'snooze')} onSnooze={(until) => void snoozeAll(all, until)} />
          <IconButton label={t.done} icon="done" onClick={() => finishAll(all)} />
        </>
      )}
      <IconButton label={t.endSelection} icon="close" onClick={selectNone} />
    </div>
  );
};
