import type { WorkflowNode } from '@parlor/shared';
import { MAX_NODES } from '@parlor/shared/limits';
import { useId, useMemo } from 'preact/hooks';
import { workflowWords } from '../locale/workflows.ts';
import fieldStyles from '../ui/field.module.css';
import { Icon } from '../ui/icon.tsx';
import type { Way } from './edges.ts';
import styles from './form.module.css';
import { type NodeType, TYPES } from './nodes.ts';

const NEW = 'new:';
const NODE = 'node:';

/** What it means where a way is not set. */
const nowhere = ({ type }: WorkflowNode, field: string): string => {
  const t = workflowWords.value;
  if (field === 'on_failure') return t.asNext;
  if ((type === 'faq' || type === 'llm') && ['next', 'on_miss', 'on_error'].includes(field))
    return t.staysHere;
  return t.nowhere;
};

/** Where a way out of a node leads: to one of the nodes, or to a new one. */
export const WaySelect = ({
  node,
  way: { field, label, to },
  names,
  onChoose,
  onCreate,
  onGo,
}: {
  node: WorkflowNode;
  way: Way;
  /** All nodes; another list only where a name in it is another. */
  names: readonly string[];
  onChoose(to: string | undefined): void;
  onCreate(type: NodeType): void;
  onGo(to: string): void;
}) => {
  const t = workflowWords.value;
  const id = useId();
  const isKnown = to === undefined || names.includes(to);
  // There may be hundreds, and they change seldom.
  const options = useMemo(
    () =>
      names.map((name) => (
        <option key={name} value={NODE + name}>
          {name}
        </option>
      )),
    [names],
  );
  const choose = (value: string) => {
    if (value.startsWith(NEW)) onCreate(value.slice(NEW.length) as NodeType);
    else onChoose(value === '' ? undefined : value.slice(NODE.length));
  };
  return (
    <div class={styles.way}>
      <label for={id}>{label}</label>
      <div>
        <select
          id={id}
          class={fieldStyles.select}
          aria-invalid={isKnown ? undefined : true}
          value={to === undefined ? '' : NODE + to}
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            // Until the new node is there, what stood before does.
            currentTarget.value = to === undefined ? '' : NODE + to;
            choose(value);
          }}
        >
          <option value="">{nowhere(node, field)}</option>
          {!isKnown && <option value={NODE + to}>{t.missing(to)}</option>}
          <optgroup label={t.steps}>{options}</optgroup>
          {names.length < MAX_NODES && (
            <optgroup label={t.newStep}>
              {TYPES.filter((type) => type !== 'start').map((type) => (
                <option key={type} value={NEW + type}>
                  {`+ ${t.types[type]}`}
                </option>
              ))}
            </optgroup>
          )}
        </select>
        {to !== undefined && isKnown && (
          <button
            type="button"
            class={styles.go}
            aria-label={t.goTo(to)}
            title={t.goTo(to)}
            onClick={() => onGo(to)}
          >
            <Icon name="forward" />
          </button>
        )}
      </div>
    </div>
  );
};
