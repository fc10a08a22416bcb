import type { Workflow } from '@parlor/shared';
import { MAX_WORKFLOW_NAME } from '@parlor/shared/limits';
import { useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { useCreation } from '../api/create.ts';
import { words } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { Button } from '../ui/button.tsx';
import { Copyable } from '../ui/copyable.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { Select } from '../ui/select.tsx';
import { Toggle } from '../ui/toggle.tsx';
import { AGENT_CODE, CODE_LANGUAGES, type CodeLanguage } from './agent-code.ts';
import { isSame } from './compare.ts';
import type { Editor } from './editor.ts';
import styles from './settings.module.css';

const refusal = (error: unknown): string => {
  if (!(error instanceof ApiError)) throw error;
  const { errors } = words.value;
  if (error.status === 429) return errors.throttled(error.retryAfter);
  return error.status === 0 ? errors.unreachable : error.message || errors.unexpected;
};

/** The key that programs begin conversations with, and what to do with it. */
const Key = ({ editor }: { editor: Editor }) => {
  const t = workflowWords.value;
  const { public_key, is_published } = editor.saved.value.object;
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [isRotated, setRotated] = useState(false);
  const [error, setError] = useState('');
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  const { create, forget } = useCreation();
  const close = () => {
    forget();
    setAsking(false);
  };
  const rotate = async () => {
    setBusy(true);
    setError('');
    try {
      const path = `workflows/${editor.uuid}/rotate-key/`;
      const { resource } = editor;
      const { public_key: next } = await resource.write(() => create<Workflow>(path));
      const now = await resource.read();
      // Of what a colleague has saved meanwhile, the next look tells.
      const { object, etag } = editor.saved.value;
      const isAsKnown = isSame(now.object, object);
      editor.know(isAsKnown ? now : { object: { ...object, public_key: next }, etag }, object);
      setRotated(true);
      setAsking(false);
    } catch (failure) {
      setError(refusal(failure));
    } finally {
      setBusy(false);
    }
  };
  const code = AGENT_CODE[language]({ base: location.origin, key: public_key });
  return (
    <section class={styles.part}>
      <h2>{t.key}</h2>
      <p class={styles.hint}>{t.keyHint}</p>
      <Copyable key={public_key} label={t.keyLabel} text={public_key} />
      {isRotated && <Notice kind="good">{t.rotated}</Notice>}
      <div>
        <Button onClick={() => setAsking(true)}>{t.rotate}</Button>
      </div>
      <h2>{t.code}</h2>
      <p class={styles.hint}>
        {t.codeHint} {!is_published && t.notPublishedCode}
      </p>
      <Select
        label={t.language}
        value={language}
        options={CODE_LANGUAGES.map((one) => [one, one])}
        onChoose={(one) => setLanguage(one as CodeLanguage)}
      />
      <Copyable isCode key={language} label={t.codeIn(language)} text={code} />
      {isAsking && (
        <Dialog title={t.rotateTitle} onClose={close}>
          <p>{t.rotateHint}</p>
          <Notice>{error}</Notice>
          <div class={styles.actions}>
            <Button kind="danger" isBusy={isBusy} onClick={() => void rotate()}>
              {t.rotateYes}
            </Button>
            <Button onClick={close}>{words.value.common.cancel}</Button>
          </div>
        </Dialog>
      )}
    </section>
  );
};

/** What a workflow is called, whom it answers, its key, and its end. */
export const Settings = ({
  editor,
  onSet,
  onRemove,
}: {
  editor: Editor;
  /** Sets a switch at once. */
  onSet(wanted: Partial<Pick<Workflow, 'is_published' | 'is_room_bot'>>): Promise<void>;
  onRemove(): void;
}) => {
  const t = workflowWords.value;
  const { is_published, is_room_bot } = editor.saved.value.object;
  const { name } = editor.draft.value;
  return (
    <div class={styles.settings}>
      <section class={styles.part}>
        <Field
          label={t.name}
          hint={t.nameHint}
          name="name"
          autocomplete="off"
          maxLength={MAX_WORKFLOW_NAME}
          value={name}
          error={name.trim() === '' ? t.nameMissing : undefined}
          onInput={({ currentTarget }) =>
            editor.change({ ...editor.draft.value, name: currentTarget.value }, 'name')
          }
        />
        <Toggle
          label={t.published}
          hint={t.publishHint}
          checked={is_published}
          onChange={({ currentTarget }) => void onSet({ is_published: currentTarget.checked })}
        />
        <Toggle
          label={t.roomBot}
          hint={t.roomBotHint}
          checked={is_room_bot}
          onChange={({ currentTarget }) => void onSet({ is_room_bot: currentTarget.checked })}
        />
      </section>
      <Key editor={editor} />
      <section class={styles.part}>
        <h2>{t.remove}</h2>
        <p class={styles.hint}>{t.removeHint}</p>
        <div>
          <Button kind="danger" onClick={onRemove}>
            {t.remove}
          </Button>
        </div>
      </section>
    </div>
  );
};
