import type { WorkflowNode } from '@parlor/shared';
import { workflowWords } from '../locale/workflows.ts';

/** A way out of a node that can be set: its field, what it is called, and where it leads. */
export interface Way {
  field: string;
  label: string;
  /** Stands at the arrow; empty where the node has one way out. */
  short: string;
  to: string | undefined;
}

/** What a node of each type has beside `next`, and where that comes. */
const OTHER_WAYS = {
  question: 'on_failure',
  faq: 'on_miss',
  llm: 'on_error',
} as const;

/** What a branch of a condition asks for, in as few words as there are. */
export const branchText = ({
  variable,
  operator,
  value,
}: {
  variable: string;
  operator: string;
  value?: string | number | null | undefined;
}): string => {
  const t = workflowWords.value;
  const sign = t.operatorSigns[operator as keyof typeof t.operatorSigns] ?? operator;
  return operator === 'exists' ? `${variable} ${sign}` : `${variable} ${sign} ${value ?? ''}`.trim();
};

/** All ways out of a node, also those that lead nowhere yet. */
export const waysOf = (node: WorkflowNode): Way[] => {
  const t = workflowWords.value;
  const way = (field: string, label: string, short: string, to: string | null | undefined): Way => ({
    field,
    label,
    short,
    to: to || undefined,
  });
  switch (node.type) {
    case 'start':
    case 'message':
    case 'lead':
      return [way('next', t.next, '', node.next)];
    case 'question':
    case 'faq':
    case 'llm': {
      const other = OTHER_WAYS[node.type];
      const to = (node as { [field in typeof other]?: string | null })[other];
      return [
        way('next', t.ways[node.type], '', node.next),
        way(other, t.ways[other], t.shortWays[other], to),
      ];
    }
    case 'condition':
      return [
        ...node.branches.map((branch, at) =>
          way(`branches[${at}].next`, t.branch(at + 1), branchText(branch), branch.next),
        ),
        way('else', t.ways.else, t.shortWays.else, node.else),
        way('next', t.ways.fallback, t.shortWays.fallback, node.next),
      ];
    case 'handoff':
    case 'end':
      return [];
  }
};

const BRANCH = /^branches\[(\d+)\]\.next$/;

/** The node with one way out led elsewhere; undefined: nowhere. */
export const withWay = (node: WorkflowNode, field: string, to: string | undefined): WorkflowNode => {
  const at = BRANCH.exec(field)?.[1];
  if (at === undefined || node.type !== 'condition') return { ...node, [field]: to ?? null };
  const branches = node.branches.map((branch, index) =>
    index === Number(at) ? { ...branch, next: to ?? null } : branch,
  );
  return { ...node, branches };
};
