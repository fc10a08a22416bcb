import type { WorkflowNode } from '@parlor/shared';
import { MAX_NODE_ID } from '@parlor/shared/limits';
import { edgesOf } from '@parlor/shared/workflow-problems';
import { workflowWords } from '../locale/workflows.ts';
import { waysOf, withWay } from './edges.ts';

/** The types of nodes, in the order in which they are offered. */
export const TYPES = [
  'start',
  'message',
  'question',
  'condition',
  'faq',
  'llm',
  'lead',
  'handoff',
  'end',
] as const satisfies readonly WorkflowNode['type'][];
export type NodeType = (typeof TYPES)[number];

type Nodes = readonly WorkflowNode[];

/** A name that no node has yet: the name itself, or with a number behind it. */
export const freeName = (name: string, nodes: Nodes): string => {
  const taken = new Set(nodes.map(({ id }) => id));
  const short = [...name].slice(0, MAX_NODE_ID - 4).join('');
  if (!taken.has(short)) return short;
  let number = 2;
  while (taken.has(`${short} ${number}`)) number++;
  return `${short} ${number}`;
};

/** A node that says something sensible until it is told what to say. */
export const newNode = (type: NodeType, nodes: Nodes): WorkflowNode => {
  const t = workflowWords.value;
  const id = freeName(t.types[type], nodes);
  switch (type) {
    case 'start':
      return { id, type, greeting: t.texts.greeting };
    case 'message':
      return { id, type, text: t.texts.message };
    case 'question':
      return { id, type, text: t.texts.question, save_as: 'answer', validate: 'text' };
    case 'condition':
      return { id, type, branches: [{ variable: 'answer', operator: 'exists', value: '' }] };
    case 'faq':
      return { id, type, entries: [{ questions: [t.texts.faqQuestion], answer: t.texts.faqAnswer }] };
    case 'llm':
      return { id, type, prompt: t.texts.prompt };
    case 'lead':
      return { id, type, fields: { nickname: '{{name}}', email: '{{email}}', phone_number: '{{phone}}' } };
    case 'handoff':
      return { id, type, text: t.texts.handoff };
    case 'end':
      return { id, type, text: t.texts.end };
  }
};

/** The nodes with one of them in another form. */
export const withNode = (nodes: Nodes, changed: WorkflowNode): Nodes =>
  nodes.map((node) => (node.id === changed.id ? changed : node));

const withEdges = (node: WorkflowNode, from: string, to: string | undefined): WorkflowNode =>
  edgesOf(node)
    .filter((edge) => edge.to === from)
    .reduce((changed, { field }) => withWay(changed, field, to), node);

/** The nodes with a new one, to which a way out of another leads; without, it follows nothing yet. */
export const withNew = (nodes: Nodes, type: NodeType, from?: { id: string; field: string }) => {
  const added = newNode(type, nodes);
  const linked = nodes.map((node) =>
    from && node.id === from.id ? withWay(node, from.field, added.id) : node,
  );
  return { nodes: [...linked, added], added };
};

/** By which way a node goes on where nothing else is said, if that is free. */
const FREE_WAYS: Partial<Record<NodeType, string>> = { faq: 'on_miss', llm: 'on_error', condition: 'else' };

/** The nodes with a new one behind another: between it and what came after it, where there is one way only. */
export const withAfter = (nodes: Nodes, type: NodeType, before: WorkflowNode | undefined) => {
  if (!before || type === 'start' || before.type === 'handoff' || before.type === 'end') {
    return withNew(nodes, type);
  }
  const field = FREE_WAYS[before.type] ?? 'next';
  const next = waysOf(before).find((way) => way.field === field)?.to;
  if (next === undefined) return withNew(nodes, type, { id: before.id, field });
  // What leads nowhere by itself would cut off what came after.
  if (type === 'handoff' || type === 'end') return withNew(nodes, type);
  const { nodes: linked, added } = withNew(nodes, type, { id: before.id, field });
  const between = withWay(added, FREE_WAYS[type] ?? 'next', next);
  return { nodes: withNode(linked, between), added: between };
};

/** The nodes with a copy of one of them, which goes on where it does. */
export const withCopy = (nodes: Nodes, node: WorkflowNode) => {
  const added = { ...structuredClone(node), id: freeName(node.id.replace(/ \d+$/, ''), nodes) };
  const at = nodes.indexOf(node) + 1;
  return { nodes: [...nodes.slice(0, at), added, ...nodes.slice(at)], added };
};

/** The nodes without one of them; what led to it leads on to what came after it. */
export const without = (nodes: Nodes, { id, ...node }: WorkflowNode): Nodes => {
  const next = 'next' in node && node.next !== id ? (node.next ?? undefined) : undefined;
  return nodes.filter((one) => one.id !== id).map((one) => withEdges(one, id, next));
};

/** The nodes with another name for one of them, wherever it is named. */
export const renamed = (nodes: Nodes, from: string, to: string): Nodes =>
  nodes.map((node) => {
    const changed = withEdges(node, from, to);
    return changed.id === from ? { ...changed, id: to } : changed;
  });

/** As much of a text as there is room for in any case. */
const MAX_SUMMARY = 100;

/** The first text of a node: what it is told from others by. */
export const summaryOf = (node: WorkflowNode): string => {
  const text = firstText(node) ?? '';
  return text.length <= MAX_SUMMARY ? text : [...text].slice(0, MAX_SUMMARY).join('');
};

const firstText = (node: WorkflowNode): string | null | undefined => {
  switch (node.type) {
    case 'start':
      return node.greeting;
    case 'message':
    case 'question':
    case 'handoff':
    case 'end':
      return node.text;
    case 'condition':
      return [...new Set(node.branches.map(({ variable }) => variable))].join(', ');
    case 'faq':
      return node.entries[0]?.questions[0];
    case 'llm':
      return node.prompt;
    case 'lead':
      return Object.values(node.fields).filter(Boolean).join(' · ');
  }
};

/** The names under which answers are kept: what `{{name}}` may stand for. */
export const variablesOf = (nodes: Nodes): string[] => [
  ...new Set(nodes.flatMap((node) => (node.type === 'question' && node.save_as ? [node.save_as] : []))),
];
