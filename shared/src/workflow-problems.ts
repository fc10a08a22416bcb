import type { NodeOf, WorkflowNode } from './workflow-node.ts';

/** A way from a node to another, and the name of the field that says so. */
export interface Edge {
  field: string;
  to: string;
}

/** Where a flow can go on from a node. Nothing follows a handoff or an end. */
export const edgesOf = (node: WorkflowNode): Edge[] => {
  const edge = (field: string, to: string | null | undefined): Edge[] => (to ? [{ field, to }] : []);
  switch (node.type) {
    case 'start':
    case 'message':
    case 'lead':
      return edge('next', node.next);
    case 'question':
      return [...edge('next', node.next), ...edge('on_failure', node.on_failure)];
    case 'condition':
      return [
        ...node.branches.flatMap(({ next }, index) => edge(`branches[${index}].next`, next)),
        ...edge('else', node.else),
        ...edge('next', node.next),
      ];
    case 'faq':
      return [...edge('next', node.next), ...edge('on_miss', node.on_miss)];
    case 'llm':
      return [...edge('next', node.next), ...edge('on_error', node.on_error)];
    case 'handoff':
    case 'end':
      return [];
  }
};

/** Nodes that wait for the visitor; the others go on at once. */
const WAITING: readonly WorkflowNode['type'][] = ['question', 'faq', 'llm'];

/** Something that is wrong with a graph, and the nodes that it is about. */
export type GraphProblem =
  | { kind: 'no-start' }
  | { kind: 'starts'; nodes: string[] }
  | { kind: 'dead-edge'; node: string; field: string; to: string }
  | { kind: 'unreachable'; node: string }
  | { kind: 'loop'; nodes: string[] };

/** What `problems` of a workflow says of it. */
export const problemText = (problem: GraphProblem): string => {
  switch (problem.kind) {
    case 'no-start':
      return 'The workflow has no Start node.';
    case 'starts':
      return `The workflow has ${problem.nodes.length} Start nodes; "${problem.nodes[0]}" is used.`;
    case 'dead-edge':
      return `Node "${problem.node}": ${problem.field} leads to "${problem.to}", which does not exist.`;
    case 'unreachable':
      return `Node "${problem.node}" can't be reached.`;
    case 'loop':
      return `The loop ${problem.nodes.map((id) => `"${id}"`).join(', ')} has no stop.`;
  }
};

/**
 * What is wrong with a graph (docs/contract.md#agent-api): no or several Start nodes, an edge to nowhere, a
 * node that can't be reached, a loop with no stop. Publishing with problems is allowed.
 */
export const graphProblems = (nodes: readonly WorkflowNode[]): GraphProblem[] => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const starts = nodes.filter((node): node is NodeOf<'start'> => node.type === 'start');
  return [
    ...startProblems(starts),
    ...deadEdges(nodes, byId),
    ...(starts[0] ? unreachable(nodes, byId, starts[0]) : []),
    ...endlessLoops(nodes, byId),
  ];
};

const startProblems = (starts: readonly NodeOf<'start'>[]): GraphProblem[] => {
  if (starts.length === 0) return [{ kind: 'no-start' }];
  return starts.length === 1 ? [] : [{ kind: 'starts', nodes: starts.map(({ id }) => id) }];
};

const deadEdges = (nodes: readonly WorkflowNode[], byId: ReadonlyMap<string, WorkflowNode>): GraphProblem[] =>
  nodes.flatMap((node) =>
    edgesOf(node)
      .filter(({ to }) => !byId.has(to))
      .map(({ field, to }) => ({ kind: 'dead-edge' as const, node: node.id, field, to })),
  );

const unreachable = (
  nodes: readonly WorkflowNode[],
  byId: ReadonlyMap<string, WorkflowNode>,
  start: WorkflowNode,
): GraphProblem[] => {
  const reached = new Set<string>([start.id]);
  const open = [start];
  for (let node = open.pop(); node; node = open.pop()) {
    for (const { to } of edgesOf(node)) {
      const next = byId.get(to);
      if (!next || reached.has(to)) continue;
      reached.add(to);
      open.push(next);
    }
  }
  return nodes
    .filter(({ id, type }) => !reached.has(id) && type !== 'start')
    .map(({ id }) => ({ kind: 'unreachable' as const, node: id }));
};

/**
 * Loops in which no node waits. Nothing that a condition looks at changes inside of one, so that whoever goes
 * round once goes round for ever.
 */
const endlessLoops = (
  nodes: readonly WorkflowNode[],
  byId: ReadonlyMap<string, WorkflowNode>,
): GraphProblem[] => {
  const isRunning = (node: WorkflowNode | undefined): node is WorkflowNode =>
    node !== undefined && !WAITING.includes(node.type);
  const targets = (node: WorkflowNode): string[] =>
    edgesOf(node)
      .map(({ to }) => to)
      .filter((to) => isRunning(byId.get(to)));
  return loops(nodes.filter(isRunning), targets, byId).map((ids) => ({ kind: 'loop' as const, nodes: ids }));
};

/** The strongly connected parts of a graph that hold a loop (Tarjan), without recursion. */
const loops = (
  nodes: readonly WorkflowNode[],
  targets: (node: WorkflowNode) => string[],
  byId: ReadonlyMap<string, WorkflowNode>,
): string[][] => {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const onStack = new Set<string>();
  const stack: string[] = [];
  const found: string[][] = [];
  const lower = (id: string, value: number): void => {
    low.set(id, Math.min(low.get(id) ?? value, value));
  };

  const enter = (id: string) => {
    order.set(id, order.size);
    lower(id, order.get(id) ?? 0);
    stack.push(id);
    onStack.add(id);
    const node = byId.get(id);
    return { id, rest: node ? targets(node) : [] };
  };
  const leave = (id: string): void => {
    if (low.get(id) !== order.get(id)) return;
    const part = stack.splice(stack.indexOf(id));
    for (const member of part) onStack.delete(member);
    const node = byId.get(id);
    if (part.length > 1 || (node && targets(node).includes(id))) found.push(part);
  };

  for (const { id: root } of nodes) {
    if (order.has(root)) continue;
    const path = [enter(root)];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const to = top.rest.pop();
      if (to === undefined) {
        path.pop();
        leave(top.id);
        const below = path.at(-1);
        if (below) lower(below.id, low.get(top.id) ?? 0);
      } else if (!order.has(to)) path.push(enter(to));
      else if (onStack.has(to)) lower(top.id, order.get(to) ?? 0);
    }
  }
  return found;
};
