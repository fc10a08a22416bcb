import { Component } from 'preact';
import styles from './graph.module.css';
import type { Layout } from './layout.ts';

interface Props {
  way: Layout['edges'][number];
  /** What stands at it, and that in full. */
  shown: string;
  label: string;
  kind: 'plain' | 'wrong' | 'passed';
}

/** A line through points, its corners rounded by going from middle to middle. */
const pathOf = (points: readonly { x: number; y: number }[]): string => {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (!first || !last) return '';
  const bends = rest.slice(0, -1).map(({ x, y }, at) => {
    const next = rest[at + 1] ?? last;
    const isLast = at === rest.length - 2;
    const [endX, endY] = isLast ? [next.x, next.y] : [(x + next.x) / 2, (y + next.y) / 2];
    return `Q${x} ${y} ${endX} ${endY}`;
  });
  return `M${first.x} ${first.y}${bends.length > 0 ? bends.join('') : `L${last.x} ${last.y}`}`;
};

/** A way from a node to another, with what it is taken for. */
export class GraphEdge extends Component<Props> {
  override shouldComponentUpdate({ way, shown, label, kind }: Props): boolean {
    const { props } = this;
    return way !== props.way || shown !== props.shown || label !== props.label || kind !== props.kind;
  }

  override render({ way, shown, label, kind }: Props) {
    return (
      <g class={`${styles.edge} ${styles[kind]}`}>
        <path d={pathOf(way.points)} marker-end={`url(#arrow-${kind})`} />
        {shown !== '' && (
          <text x={way.x} y={way.y} dy="0.32em" text-anchor="middle">
            {label !== shown && <title>{label}</title>}
            {shown}
          </text>
        )}
      </g>
    );
  }
}
