import type { WorkflowNode } from '@parlor/shared';
import { waysOf } from './edges.ts';

/** The size of a node in the graph, and of the mark where an edge leads nowhere. */
export const NODE = { width: 216, height: 64 };
export const NOWHERE = { width: 148, height: 32 };

/** About what a letter at an arrow takes, and the longest text there. */
const LETTER = 6.5;
const MAX_LABEL = 24;

/** An edge as it is drawn. */
export interface DrawnEdge {
  key: string;
  from: string;
  to: string;
  label: string;
  /** Cut to what there is room for. */
  shown: string;
}

/** What is laid out. Nodes and edges go by their place in the lists, so that any name is as good as another. */
export interface Plan {
  nodes: readonly { name: string; width: number; height: number }[];
  edges: readonly { key: string; from: number; to: number; width: number }[];
}

/** Where everything of a plan stands, in its order: nodes by their middles, edges by the points that they go through. */
export interface Layout {
  width: number;
  height: number;
  nodes: readonly { x: number; y: number }[];
  edges: readonly { points: readonly { x: number; y: number }[]; x: number; y: number }[];
}

/** Before the name of a node that does not exist, so that none that does is meant. */
const GHOST = '\0';

/** The name that a node stands under in a plan; those of nodes that do not exist are marked. */
export const ghostOf = (name: string): string => GHOST + name;
export const isGhost = (name: string): boolean => name.startsWith(GHOST);

const cut = (label: string): string => {
  const letters = [...label];
  return letters.length <= MAX_LABEL ? label : `${letters.slice(0, MAX_LABEL - 1).join('')}…`;
};

/** The edges of a graph, those to nowhere included. */
export const drawnEdges = (nodes: readonly WorkflowNode[]): DrawnEdge[] => {
  const names = new Set(nodes.map(({ id }) => id));
  return nodes.flatMap((node) =>
    waysOf(node).flatMap(({ field, short, to }) => {
      if (to === undefined) return [];
      const shown = cut(short);
      const end = names.has(to) ? to : ghostOf(to);
      return [{ key: `${node.id}${GHOST}${field}`, from: node.id, to: end, label: short, shown }];
    }),
  );
};

/** What of a graph decides where everything stands; texts inside of nodes do not. */
export const planOf = (nodes: readonly WorkflowNode[], edges: readonly DrawnEdge[]): Plan => {
  const ghosts = new Set(edges.map(({ to }) => to).filter(isGhost));
  const all = [
    ...nodes.map(({ id }) => ({ name: id, ...NODE })),
    ...[...ghosts].map((name) => ({ name, ...NOWHERE })),
  ];
  const places = new Map(all.map(({ name }, at) => [name, at]));
  return {
    nodes: all,
    edges: edges.map(({ key, from, to, shown }) => ({
      key,
      from: places.get(from) ?? 0,
      to: places.get(to) ?? 0,
      width: shown === '' ? 0 : Math.ceil([...shown].length * LETTER) + 12,
    })),
  };
};
