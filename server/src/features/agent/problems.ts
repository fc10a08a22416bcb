import type { NodeOf, WorkflowNode } from '@parlor/shared';

/** A way from a node to another, and the name of the field that says so. */
interface Edge {
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

/**
 * What is wrong with a graph (docs/contract.md#agent-api): no or several Start nodes, an edge to nowhere, a
 * node that can't be reached, a loop with no stop. Publishing with problems is allowed.
 */
export const graphProblems = (nodes: readonly WorkflowNode[]): string[] => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const starts = nodes.filter((node): node is NodeOf<'start'> => node.type === 'start');
  return [
    ...startProblems(starts),
    ...deadEdges(nodes, byId),
    ...(starts[0] ? unreachable(nodes, byId, starts[0]) : []),
    ...endlessLoops(nodes, byId),
  ];
};

/** Language models that the operator does not offer. */
export const modelProblems = (nodes: readonly WorkflowNode[], offered: ReadonlySet<string>): string[] =>
  nodes.flatMap((node) =>
    node.type === 'llm' && node.model && !offered.has(node.model)
      ? [`Node "${node.id}": the model "${node.model}" is not offered by this server.`]
      : [],
  );

const startProblems = (starts: readonly NodeOf<'start'>[]): string[] => {
  if (starts.length === 0) return ['The workflow has no Start node.'];
  if (starts.length === 1) return [];
  return [`The workflow has ${starts.length} Start nodes; "${starts[0]?.id}" is used.`];
};

const deadEdges = (nodes: readonly WorkflowNode[], byId: ReadonlyMap<string, WorkflowNode>): string[] =>
  nodes.flatMap((node) =>
    edgesOf(node)
      .filter(({ to }) => !byId.has(to))
      .map(({ field, to }) => `Node "${node.id}": ${field} leads to "${to}", which does not exist.`),
  );

const unreachable = (
  nodes: readonly WorkflowNode[],
  byId: ReadonlyMap<string, WorkflowNode>,
  start: WorkflowNode,
): string[] => {
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
    .map(({ id }) => `Node "${id}" can't be reached.`);
};

/**
 * Loops in which no node waits. Nothing that a condition looks at changes inside of one, so that whoever goes
 * round once goes round for ever.
 */
const endlessLoops = (nodes: readonly WorkflowNode[], byId: ReadonlyMap<string, WorkflowNode>): string[] => {
  const isRunning = (node: WorkflowNode | undefined): node is WorkflowNode =>
    node !== undefined && !WAITING.includes(node.type);
  const targets = (node: WorkflowNode): string[] =>
    edgesOf(node)
      .map(({ to }) => to)
      .filter((to) => isRunning(byId.get(to)));
  return loops(nodes.filter(isRunning), targets, byId).map(
    (loop) => `The loop ${loop.map((id) => `"${id}"`).join(', ')} has no stop.`,
  );
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
