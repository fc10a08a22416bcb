import { Graph, layout } from '@dagrejs/dagre';
import type { Layout, Plan } from './layout.ts';

/** Lays graphs out beside the page, which goes on meanwhile: one of 500 nodes takes half a second. */

/** Distances in the graph, in its pixels. */
const GRAPH = { rankdir: 'TB', ranksep: 44, nodesep: 32, edgesep: 16, marginx: 24, marginy: 24 };
const LABEL_HEIGHT = 18;

const laidOut = ({ nodes, edges }: Plan): Layout => {
  const graph = new Graph({ multigraph: true });
  graph.setGraph(GRAPH);
  for (const [at, { width, height }] of nodes.entries()) graph.setNode(String(at), { width, height });
  for (const [at, { from, to, width }] of edges.entries()) {
    const label = { width, height: width === 0 ? 0 : LABEL_HEIGHT, labelpos: 'c' };
    graph.setEdge(String(from), String(to), label, String(at));
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width,
    height,
    nodes: nodes.map((_, at) => {
      const { x, y } = graph.node(String(at)) as { x: number; y: number };
      return { x, y };
    }),
    edges: edges.map(({ from, to }, at) => {
      const edge = graph.edge(String(from), String(to), String(at)) as Partial<Layout['edges'][number]>;
      const points = edge.points ?? [];
      return { points, x: edge.x ?? points[0]?.x ?? 0, y: edge.y ?? points[0]?.y ?? 0 };
    }),
  };
};

addEventListener('message', ({ data: { turn, plan } }: MessageEvent<{ turn: number; plan: Plan }>) => {
  const layout = laidOut(plan);
  postMessage({ turn, layout });
});

// From now on it answers: whoever has started it waits for that.
postMessage('ready');
