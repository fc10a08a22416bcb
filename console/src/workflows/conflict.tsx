import { workflowWords } from '../locale/workflows.ts';
import { Button } from '../ui/button.tsx';
import { type Change, type Draft, differences, fieldDifferences } from './compare.ts';
import styles from './conflict.module.css';
import type { Editor } from './editor.ts';

/** As much of a text as it is told from another by. */
const MAX_SHOWN = 160;

const Fields = ({ fields }: { fields: readonly (readonly [label: string, text: string])[] }) => (
  <>
    {fields.map(([label, text]) => (
      <p key={label} class={styles.field}>
        {label}: <bdi>{text === '' ? '–' : text.slice(0, MAX_SHOWN)}</bdi>
      </p>
    ))}
  </>
);

/** What a colleague has saved meanwhile, node by node beside what was changed here, and what to do. */
export const Conflict = ({ editor, onSave }: { editor: Editor; onSave(): void }) => {
  const t = workflowWords.value;
  const { theirs, saved, draft } = editor;
  if (!theirs.value) return null;
  const { object } = theirs.value;
  const all = differences(saved.value.object, draft.value, object);
  const isDisputed = all.some((one) => one.isDisputed);
  const labels: Readonly<Record<string, string>> = { ...t.fields, next: t.next, ...t.ways };
  const nodeIn = (nodes: Draft['nodes'], id: string) => nodes.find((node) => node.id === id);
  /** What stands here and there in the fields that differ. */
  const fieldsOf = (id: string) => {
    const [mine, other] = [nodeIn(draft.value.nodes, id), nodeIn(object.nodes, id)];
    return mine && other ? fieldDifferences(mine, other) : [];
  };
  const word = (change: Change | undefined) => t.changes[change ?? 'none'];
  return (
    <section class={styles.conflict} aria-label={t.conflict}>
      <h2>{t.conflict}</h2>
      <p role="alert">{t.conflictHint}</p>
      {object.name !== draft.value.name && <p>{t.conflictName(draft.value.name, object.name)}</p>}
      {all.length > 0 && (
        <div class={styles.scroll}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t.step}</th>
                <th scope="col">{t.mine}</th>
                <th scope="col">{t.theirs}</th>
              </tr>
            </thead>
            <tbody>
              {all.map(({ id, mine, theirs: other, isDisputed: isBoth }) => {
                const fields = fieldsOf(id);
                return (
                  <tr key={id}>
                    <th scope="row" dir="auto">
                      {id}
                      {isBoth && <i>{t.disputed}</i>}
                    </th>
                    <td class={mine && styles.changed}>
                      {word(mine)}
                      <Fields fields={fields.map(({ field, one }) => [labels[field] ?? field, one])} />
                    </td>
                    <td class={other && styles.changed}>
                      {word(other)}
                      <Fields
                        fields={fields.map(({ field, other: text }) => [labels[field] ?? field, text])}
                      />
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      <div class={styles.actions}>
        {!isDisputed && (
          <Button kind="primary" onClick={() => editor.mergeTheirs()}>
            {t.mergeBoth}
          </Button>
        )}
        <Button onClick={() => editor.takeTheirs()}>{t.takeTheirs}</Button>
        <Button onClick={onSave}>{t.saveMine}</Button>
      </div>
    </section>
  );
};
