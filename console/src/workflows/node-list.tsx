import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { workflowWords } from '../locale/workflows.ts';
import { Icon } from '../ui/icon.tsx';
import { waysOf } from './edges.ts';
import { spokenFacts } from './graph-node.tsx';
import styles from './list.module.css';
import { summaryOf } from './nodes.ts';
import type { NodesView } from './nodes-view.ts';
import { TypeIcon } from './type-icon.tsx';

/** All that the graph shows, in a list. */
export const NodeList = ({ nodes, selected, passed, problems, onSelect, onEdit, onRemove }: NodesView) => {
  const t = workflowWords.value;
  const list = useRef<HTMLUListElement>(null);
  const names = new Set(nodes.map(({ id }) => id));
  const at = Math.max(
    0,
    nodes.findIndex(({ id }) => id === selected),
  );
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLUListElement>) => {
    const next = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: nodes.length - 1,
    }[event.key];
    const node = next === undefined ? undefined : nodes[next];
    if (event.key === 'Enter') onEdit();
    else if (event.key === 'Delete' && selected !== undefined) onRemove(selected);
    else if (node) {
      onSelect(node.id);
      list.current?.querySelectorAll('button')[next as number]?.focus();
    } else return;
    event.preventDefault();
  };
  return (
    <ul ref={list} class={styles.list} aria-label={t.steps} onKeyDown={onKeyDown}>
      {nodes.map((node, place) => {
        const ways = waysOf(node).filter(({ to }) => to !== undefined);
        const wrong = problems.get(node.id) ?? 0;
        return (
          <li key={node.id}>
            <button
              type="button"
              class={`${styles.row} ${passed.includes(node.id) ? styles.passed : ''}`}
              aria-current={node.id === selected}
              aria-describedby={ways.length > 0 ? `ways-${place}` : undefined}
              tabIndex={place === at ? 0 : -1}
              onClick={() => onSelect(node.id)}
            >
              <TypeIcon type={node.type} />
              <span class={styles.what}>
                <b dir="auto">{node.id}</b>
                <span dir="auto">{summaryOf(node)}</span>
                <span class="hidden">{spokenFacts(node, wrong)}</span>
              </span>
              {wrong > 0 && (
                <span class={styles.wrong}>
                  <Icon name="warning" />
                </span>
              )}
            </button>
            {ways.length > 0 && (
              <p id={`ways-${place}`} class={styles.ways}>
                {ways.map(({ field, label, short, to = '' }) => (
                  <span key={field} class={names.has(to) ? '' : styles.nowhere}>
                    <span class="hidden">{t.leadsTo(label, to)}</span>
                    <span aria-hidden="true">
                      {short && <i>{short}</i>}
                      <Icon name="forward" />
                      {to}
                    </span>
                  </span>
                ))}
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
};
