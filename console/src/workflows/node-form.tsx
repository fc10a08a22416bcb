import type { WorkflowNode } from '@parlor/shared';
import { MAX_NODE_ID, MAX_NODES } from '@parlor/shared/limits';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { listed } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { waysOf, withWay } from './edges.ts';
import type { Editor } from './editor.ts';
import styles from './form.module.css';
import { NodeFields } from './node-fields.tsx';
import { renamed, variablesOf, withCopy, withNew, withNode } from './nodes.ts';
import type { Problem } from './problems.ts';
import { removeStep } from './remove-step.ts';
import { TypeIcon } from './type-icon.tsx';
import { WaySelect } from './way-select.tsx';

/** Names that are offered in a hint. */
const MAX_NAMES = 6;

/** The name of a node, which is its own once it is left: other nodes lead to it by it. */
const NameField = ({ node, editor }: { node: WorkflowNode; editor: Editor }) => {
  const t = workflowWords.value;
  const [text, setText] = useState(node.id);
  useEffect(() => setText(node.id), [node.id]);
  const name = text.trim().normalize('NFC');
  const isTaken = name !== node.id && editor.draft.value.nodes.some(({ id }) => id === name);
  const apply = () => {
    if (name === node.id || name === '' || isTaken) return;
    editor.changeNodes(renamed(editor.draft.value.nodes, node.id, name));
    editor.selected.value = name;
  };
  return (
    <div onFocusOut={apply}>
      <Field
        label={t.nodeName}
        name="id"
        autocomplete="off"
        maxLength={MAX_NODE_ID}
        value={text}
        error={isTaken ? t.nodeNameTaken : name === '' ? t.nodeNameEmpty : undefined}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </div>
  );
};

/** Everything of the node that is chosen. */
export const NodeForm = ({
  editor,
  problems,
  onGo,
}: {
  editor: Editor;
  problems: readonly Problem[];
  /** Another node is to be shown, and changed. */
  onGo(id: string): void;
}) => {
  const t = workflowWords.value;
  const { node } = editor;
  const { nodes } = editor.draft.value;
  const allNames = nodes.map(({ id }) => id);
  const names = useMemo(() => allNames, [JSON.stringify(allNames)]);
  if (!node) return <p class={styles.none}>{t.noNode}</p>;
  const change = (changed: WorkflowNode, key?: string) => editor.changeNodes(withNode(nodes, changed), key);
  const refused = editor.refused.value.get(node.id) ?? {};
  const errorOf = (field: string): string | undefined =>
    Object.entries(refused).find(([path]) => path === field || path.startsWith(`${field}.`))?.[1];
  const known = variablesOf(nodes).slice(0, MAX_NAMES);
  const namesHint = known.length === 0 ? undefined : t.hints.text(listed(known.map((name) => `{{${name}}}`)));
  const ways = waysOf(node);
  const wayFor = (field: string, label: string) => {
    const way = ways.find((one) => one.field === field);
    if (!way) return null;
    return (
      <WaySelect
        key={field}
        node={node}
        way={{ ...way, label }}
        names={names}
        onChoose={(to) => change(withWay(node, field, to))}
        onCreate={(type) => editor.changeNodes(withNew(nodes, type, { id: node.id, field }).nodes)}
        onGo={onGo}
      />
    );
  };
  const own = problems.filter((problem) => problem.nodes.includes(node.id));
  return (
    <form class={styles.form} noValidate onSubmit={(event) => event.preventDefault()}>
      <header class={styles.head}>
        <TypeIcon type={node.type} />
        <div>
          <h2>{t.types[node.type]}</h2>
          <p>{t.typeHints[node.type]}</p>
        </div>
      </header>
      {own.length > 0 && (
        <ul class={styles.problems}>
          {own.map(({ text }) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <NameField node={node} editor={editor} />
      <NodeFields
        node={node}
        namesHint={namesHint}
        wayFor={wayFor}
        errorOf={errorOf}
        set={(fields, key) =>
          change({ ...node, ...fields } as WorkflowNode, key === '' ? undefined : `${node.id}\0${key}`)
        }
      />
      {ways
        .filter(({ field }) => !field.startsWith('branches['))
        .map(({ field, label }) => wayFor(field, label))}
      <div class={styles.actions}>
        {nodes.length < MAX_NODES && node.type !== 'start' && (
          <Button
            onClick={() => {
              const copy = withCopy(nodes, node);
              editor.changeNodes(copy.nodes);
              onGo(copy.added.id);
            }}
          >
            {t.duplicate}
          </Button>
        )}
        <Button kind="danger" onClick={() => removeStep(editor, node)}>
          {t.removeStep}
        </Button>
      </div>
    </form>
  );
};
