import type { WorkflowNode } from '@parlor/shared';
import { Component } from 'preact';
import { workflowWords } from '../locale/workflows.ts';
import styles from './graph.module.css';
import { NODE } from './layout.ts';
import { summaryOf } from './nodes.ts';
import { TypeIcon } from './type-icon.tsx';

interface Props {
  node: WorkflowNode;
  x: number;
  y: number;
  isSelected: boolean;
  /** Whether Tab leads here; arrow keys lead to the others. */
  isEntry: boolean;
  hasPassed: boolean;
  problems: number;
  onSelect(id: string): void;
}

/** What whoever hears a node hears behind its name and text: its type and problems. */
export const spokenFacts = ({ type }: WorkflowNode, problems: number): string => {
  const t = workflowWords.value;
  return [t.types[type], ...(problems > 0 ? [t.hasProblems(String(problems))] : [])].join(', ');
};

/** A node in the graph. One that is as it was is not drawn again: there may be 500. */
export class GraphNode extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    return (Object.keys(next) as (keyof Props)[]).some((name) => next[name] !== this.props[name]);
  }

  override render({ node, x, y, isSelected, isEntry, hasPassed, problems, onSelect }: Props) {
    const names = [
      styles.node,
      isSelected && styles.selected,
      hasPassed && styles.passed,
      problems > 0 && styles.wrong,
    ];
    const { width, height } = NODE;
    return (
      // biome-ignore lint/a11y/useSemanticElements: there are no buttons in SVG
      <g
        class={names.filter(Boolean).join(' ')}
        transform={`translate(${x - width / 2} ${y - height / 2})`}
        role="button"
        // In SVG the names of attributes are told apart by case.
        tabindex={isEntry ? 0 : -1}
        aria-pressed={isSelected}
        data-node={node.id}
        onClick={() => onSelect(node.id)}
      >
        <rect width={width} height={height} rx="10" />
        <foreignObject width={width} height={height}>
          <div class={styles.card}>
            <TypeIcon type={node.type} />
            <div>
              <b dir="auto">{node.id}</b>
              <span dir="auto">{summaryOf(node)}</span>
              <span class="hidden">{spokenFacts(node, problems)}</span>
            </div>
          </div>
        </foreignObject>
        {problems > 0 && (
          <g class={styles.badge} transform={`translate(${width - 4} 4)`}>
            <circle r="9" />
            <path d="M0-4.5v5M0 4v.01" />
          </g>
        )}
      </g>
    );
  }
}
