import type { WorkflowVersion, WorkflowVersionDetail } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, ask } from '../api/client.ts';
import { nameOf, readPeople } from '../inbox/people.ts';
import { count, listed, moment, words } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { Button } from '../ui/button.tsx';
import { Failed } from '../ui/failed.tsx';
import { toast } from '../ui/toast.tsx';
import { differences } from './compare.ts';
import type { Editor } from './editor.ts';
import styles from './versions.module.css';

/** Names of nodes that are listed one by one. */
const MAX_NAMES = 8;

const nameOfVersion = ({ saved_at }: WorkflowVersion): string =>
  saved_at === null ? workflowWords.value.oldVersion : moment(saved_at);

/** What of a version is another than here. */
const differsIn = (editor: Editor, { nodes }: WorkflowVersionDetail): string => {
  const t = workflowWords.value;
  const { draft } = editor;
  const other = { name: draft.value.name, nodes };
  const ids = differences(draft.value, other, draft.value).map(({ id }) => id);
  if (ids.length === 0) return t.differsNot;
  return t.differs(listed(ids.length > MAX_NAMES ? [...ids.slice(0, MAX_NAMES), '…'] : ids));
};

/** Says which version is looked at in the place of what is edited, and brings it back. */
export const Looking = ({ editor, version }: { editor: Editor; version: WorkflowVersionDetail }) => {
  const t = workflowWords.value;
  const close = () => {
    editor.preview.value = undefined;
  };
  const bringBack = () => {
    editor.changeNodes(version.nodes);
    close();
    toast(t.broughtBack);
  };
  return (
    <div class={styles.looking} role="status">
      <p>
        <b>{t.looking(nameOfVersion(version))}</b> {differsIn(editor, version)}
      </p>
      <div>
        {!version.is_current || editor.isChanged.value ? (
          <Button kind="primary" onClick={bringBack}>
            {t.bringBack}
          </Button>
        ) : null}
        <Button onClick={close}>{t.closeVersion}</Button>
      </div>
    </div>
  );
};

/** The versions that are kept, newest first. */
export const Versions = ({ editor }: { editor: Editor }) => {
  const t = workflowWords.value;
  const [versions, setVersions] = useState<readonly WorkflowVersion[]>();
  const [error, setError] = useState('');
  const path = `workflows/${editor.uuid}/versions/`;
  const run = async (work: () => Promise<void>) => {
    setError('');
    try {
      await work();
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(words.value.errors.page);
    }
  };
  const read = () => run(async () => setVersions(await ask<WorkflowVersion[]>('GET', path)));
  const { etag } = editor.saved.value;
  useEffect(() => {
    void readPeople();
    return () => {
      editor.preview.value = undefined;
    };
  }, []);
  useEffect(() => void read(), [etag]);
  const look = (uuid: string) =>
    run(async () => {
      editor.preview.value = await ask<WorkflowVersionDetail>('GET', `${path}${uuid}/`);
    });
  const shown = editor.preview.value?.uuid;
  return (
    <div class={styles.versions}>
      <p class={styles.hint}>{t.versionsHint}</p>
      <Failed error={error} onRetry={() => void read()} />
      {!versions && !error && <p role="status">{words.value.common.loading}</p>}
      <ol>
        {versions?.map((version) => {
          const who = nameOf(version.saved_by);
          return (
            <li key={version.uuid}>
              <button
                type="button"
                aria-pressed={version.uuid === shown}
                onClick={() => void look(version.uuid)}
              >
                <span class={styles.when}>
                  {nameOfVersion(version)}
                  {version.is_current && <i>{t.current}</i>}
                </span>
                <span class={styles.minor}>
                  {[
                    version.node_count !== null && t.nodes(count(version.node_count)),
                    who !== '' && t.by(who),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
};
