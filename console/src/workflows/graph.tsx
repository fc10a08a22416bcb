import type { TargetedKeyboardEvent } from 'preact';
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { words } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { LackWays, lackText } from '../shell/lack-said.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import styles from './graph.module.css';
import { GraphEdge } from './graph-edge.tsx';
import { GraphNode } from './graph-node.tsx';
import { drawnEdges, ghostOf, isGhost, type Layout, NODE, NOWHERE, planOf } from './layout.ts';
import { nearest } from './nearest.ts';
import type { NodesView } from './nodes-view.ts';
import { useLayout } from './use-layout.ts';
import { type Box, Viewport } from './viewport.ts';

/** How much a press of a button zooms. */
const ZOOM = 1.3;

const boxOf = ({ x, y }: { x: number; y: number }): Box => ({
  x: x - NODE.width / 2,
  y: y - NODE.height / 2,
  ...NODE,
});

/** The nodes of a workflow and the ways between them, to look at, and to choose one. */
export const Graph = ({
  nodes,
  selected,
  passed,
  problems,
  inLoop,
  onSelect,
  onEdit,
  onRemove,
}: NodesView & {
  /** The nodes of loops without end. */
  inLoop: ReadonlySet<string>;
}) => {
  const t = workflowWords.value;
  const hint = useId();
  const svg = useRef<SVGSVGElement>(null);
  const content = useRef<SVGGElement>(null);
  const viewport = useRef<Viewport>(undefined);

  const edges = drawnEdges(nodes);
  const wanted = planOf(nodes, edges);
  const plan = useMemo(() => wanted, [JSON.stringify(wanted)]);
  const { laidOut, lack, retry } = useLayout(plan);
  const layout = typeof laidOut === 'object' ? laidOut.layout : undefined;

  const places = useMemo(() => {
    const found = new Map<string, { x: number; y: number }>();
    if (typeof laidOut !== 'object') return found;
    for (const [at, { name }] of laidOut.plan.nodes.entries()) {
      const place = laidOut.layout.nodes[at];
      if (place) found.set(name, place);
    }
    return found;
  }, [laidOut]);
  const ways = useMemo(() => {
    const found = new Map<string, Layout['edges'][number]>();
    if (typeof laidOut !== 'object') return found;
    for (const [at, { key }] of laidOut.plan.edges.entries()) {
      const way = laidOut.layout.edges[at];
      if (way) found.set(key, way);
    }
    return found;
  }, [laidOut]);

  useLayoutEffect(() => {
    if (!svg.current || !content.current) return;
    const own = new Viewport(svg.current, content.current);
    viewport.current = own;
    return () => own.stop();
  }, []);
  const placeOf = (name: string | undefined) => {
    const place = name === undefined ? undefined : places.get(name);
    return place && boxOf(place);
  };
  /** Where somebody has moved it, it is left; else it is shown as it is opened, with as much room as there is. */
  const open = () => {
    const start = nodes.find(({ type }) => type === 'start') ?? nodes[0];
    if (layout && !viewport.current?.isMoved) viewport.current?.open(layout, placeOf(start?.id));
  };
  useLayoutEffect(() => {
    if (!layout || !svg.current) return;
    open();
    const observer = new ResizeObserver(open);
    observer.observe(svg.current);
    return () => observer.disconnect();
  }, [layout]);
  useEffect(() => {
    const place = placeOf(selected);
    if (place) viewport.current?.reveal(place);
  }, [selected, layout]);

  const select = useRef(onSelect);
  select.current = onSelect;
  const onPress = useCallback((id: string) => select.current(id), []);

  const names = new Set(nodes.map(({ id }) => id));
  const entry = selected !== undefined && names.has(selected) ? selected : nodes[0]?.id;

  const onKeyDown = (event: TargetedKeyboardEvent<SVGSVGElement>) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const zoom = { '+': ZOOM, '-': 1 / ZOOM }[key];
    const node = (event.target as Element).closest<SVGGElement>('[data-node]')?.dataset.node ?? entry;
    const at = node === undefined ? undefined : places.get(node);
    if (zoom !== undefined) viewport.current?.zoom(zoom);
    else if (key === '0' && layout) viewport.current?.fit(layout);
    else if (key === 'Enter' || key === ' ') {
      if (node !== undefined) onSelect(node);
      onEdit();
    } else if ((key === 'Delete' || key === 'Backspace') && node !== undefined) onRemove(node);
    else if (key.startsWith('Arrow') && at) {
      const there = [...places].filter(([name]) => names.has(name));
      const next = nearest(there, at, key);
      if (next !== undefined) {
        onSelect(next);
        svg.current?.querySelector<SVGGElement>(`[data-node="${CSS.escape(next)}"]`)?.focus();
      }
    } else return;
    event.preventDefault();
  };

  const went = new Set(passed.slice(1).map((id, at) => `${passed[at]}\0${id}`));
  const ghosts = [...new Set(edges.map(({ to }) => to).filter(isGhost))];
  return (
    <div class={styles.graph}>
      <p id={hint} class="hidden">
        {t.graphHint}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: no fieldset is drawn as a graph */}
      <svg ref={svg} role="group" aria-label={t.graph} aria-describedby={hint} onKeyDown={onKeyDown}>
        <defs>
          {(['plain', 'wrong', 'passed'] as const).map((kind) => (
            <marker
              key={kind}
              id={`arrow-${kind}`}
              class={styles[kind]}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 .5 8 4 0 7.5z" />
            </marker>
          ))}
        </defs>
        <g ref={content}>
          {edges.map(({ key, from, to, shown, label }) => {
            const way = ways.get(key);
            if (!way) return null;
            const isWrong = isGhost(to) || (inLoop.has(from) && inLoop.has(to));
            const kind = isWrong ? 'wrong' : went.has(`${from}\0${to}`) ? 'passed' : 'plain';
            return <GraphEdge key={key} way={way} shown={shown} label={label} kind={kind} />;
          })}
          {ghosts.map((name) => {
            const place = places.get(name);
            if (!place) return null;
            return (
              <g
                key={name}
                class={styles.nowhere}
                transform={`translate(${place.x - NOWHERE.width / 2} ${place.y - NOWHERE.height / 2})`}
              >
                <rect {...NOWHERE} rx="8" />
                <foreignObject {...NOWHERE}>
                  <div class={styles.missing}>{t.missing(name.slice(ghostOf('').length))}</div>
                </foreignObject>
              </g>
            );
          })}
          {nodes.map((node) => {
            const place = places.get(node.id);
            if (!place) return null;
            return (
              <GraphNode
                key={node.id}
                node={node}
                x={place.x}
                y={place.y}
                isSelected={node.id === selected}
                isEntry={node.id === entry}
                hasPassed={passed.includes(node.id)}
                problems={problems.get(node.id) ?? 0}
                onSelect={onPress}
              />
            );
          })}
        </g>
      </svg>
      {laidOut === 'failed' && (
        <div class={styles.failed}>
          <Notice>{t.notDrawn}</Notice>
        </div>
      )}
      {lack && (
        <div class={styles.failed}>
          <Notice>
            {t.notDrawn} {lack === 'updated' && lackText(lack)} <LackWays lack={lack} onRetry={retry} />
          </Notice>
        </div>
      )}
      {laidOut === undefined && !lack && nodes.length > 0 && (
        <p class={styles.failed} role="status">
          {words.value.common.loading}
        </p>
      )}
      <div class={styles.zoom}>
        {(
          [
            ['plus', t.zoomIn, () => viewport.current?.zoom(ZOOM)],
            ['minus', t.zoomOut, () => viewport.current?.zoom(1 / ZOOM)],
            ['fit', t.fit, () => layout && viewport.current?.fit(layout)],
          ] as const
        ).map(([icon, label, run]) => (
          <button key={icon} type="button" aria-label={label} title={label} onClick={run}>
            <Icon name={icon} />
          </button>
        ))}
      </div>
    </div>
  );
};
