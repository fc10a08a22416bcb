import type { Workflow } from '@parlor/shared';
import { words } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { Button } from '../ui/button.tsx';
import { IconButton, IconLink } from '../ui/icon-button.tsx';
import { toast } from '../ui/toast.tsx';
import type { Editor } from './editor.ts';
import styles from './head.module.css';

/** What the workflow is, and what is done with all of it. */
export const Head = ({
  editor,
  onSave,
  onSet,
}: {
  editor: Editor;
  onSave(): Promise<void>;
  onSet(wanted: Partial<Pick<Workflow, 'is_published'>>): Promise<void>;
}) => {
  const t = workflowWords.value;
  const { is_published, is_room_bot } = editor.saved.value.object;
  const isChanged = editor.isChanged.value;
  const discard = () => {
    editor.discard();
    toast(t.discarded, () => editor.undo());
  };
  return (
    <header class={styles.head}>
      <IconLink label={t.back} icon="back" href="/console/workflows" />
      <div class={styles.title}>
        <h1 tabIndex={-1}>
          <bdi>{editor.draft.value.name}</bdi>
        </h1>
        <p>
          <span class={is_published ? styles.published : styles.draft}>
            {is_published ? t.published : t.draft}
          </span>
          {is_room_bot && <span>{t.roomBot}</span>}
          <span role="status">{isChanged && t.unsaved}</span>
        </p>
      </div>
      <div class={styles.steps}>
        {(
          [
            ['undo', t.undo, editor.past, () => editor.undo()],
            ['redo', t.redo, editor.future, () => editor.redo()],
          ] as const
        ).map(([icon, label, steps, run]) => (
          <IconButton
            key={icon}
            label={label}
            icon={icon}
            disabled={steps.value.length === 0}
            onClick={run}
          />
        ))}
      </div>
      <div class={styles.actions}>
        {isChanged && (
          <Button kind="quiet" onClick={discard}>
            {t.discard}
          </Button>
        )}
        {!is_published && !isChanged && (
          <Button onClick={() => void onSet({ is_published: true })}>{t.publish}</Button>
        )}
        <Button
          kind="primary"
          disabled={!isChanged}
          isBusy={editor.isBusy.value}
          onClick={() => void onSave()}
        >
          {words.value.common.save}
        </Button>
      </div>
    </header>
  );
};
