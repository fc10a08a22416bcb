import type { WorkflowNode } from '@parlor/shared';
import { type GraphProblem, graphProblems, problemText } from '@parlor/shared/workflow-problems';
import { listed } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { isSameNode } from './compare.ts';
import { waysOf } from './edges.ts';
import type { Editor } from './editor.ts';

/** Something that is wrong, in words, and the nodes where it is. */
export interface Problem {
  nodes: readonly string[];
  text: string;
}

const inWords = (problem: GraphProblem, editor: Editor): Problem[] => {
  const t = workflowWords.value.problem;
  switch (problem.kind) {
    case 'no-start':
      return [{ nodes: [], text: t.noStart }];
    case 'starts': {
      const [used = '', ...others] = problem.nodes;
      return [{ nodes: others, text: t.starts(used) }];
    }
    case 'dead-edge': {
      const node = editor.draft.value.nodes.find(({ id }) => id === problem.node);
      const way = node && waysOf(node).find(({ field }) => field === problem.field);
      return [{ nodes: [problem.node], text: t.deadEdge(way?.label ?? problem.field, problem.to) }];
    }
    case 'unreachable':
      return [{ nodes: [problem.node], text: t.unreachable }];
    case 'loop':
      return [{ nodes: problem.nodes, text: t.loop(listed(problem.nodes)) }];
  }
};

const MODEL_PROBLEM = /^Node "(.*)": the model "/s;

/** What only the server can know, of nodes that are as it has seen them. */
const fromServer = (editor: Editor): Problem[] => {
  const { nodes, problems } = editor.saved.value.object;
  const known = new Set(graphProblems(nodes).map(problemText));
  const byName = (id: string | undefined, list: readonly WorkflowNode[]) => list.find((one) => one.id === id);
  return problems
    .filter((text) => !known.has(text))
    .map((text) => ({ id: MODEL_PROBLEM.exec(text)?.[1], text }))
    .filter(
      ({ id }) => id === undefined || isSameNode(byName(id, nodes), byName(id, editor.draft.value.nodes)),
    )
    .map(({ id, text }) => ({ nodes: id === undefined ? [] : [id], text }));
};

/** Everything that is wrong with a workflow as it is edited: its graph, what the server has refused, what it offers not. */
export const problemsOf = (editor: Editor): Problem[] => {
  const t = workflowWords.value;
  const refused = [...editor.refused.value].flatMap(([node, fields]) =>
    Object.entries(fields).map(([path, text]) => {
      const name = path.split('.').at(-1) ?? path;
      const [first = ''] = path.split('.');
      const labels: Readonly<Record<string, string>> = t.fields;
      return { nodes: [node], text: t.problem.refused(labels[name] ?? labels[first] ?? t.nodeName, text) };
    }),
  );
  return [
    ...editor.problems.value.flatMap((problem) => inWords(problem, editor)),
    ...fromServer(editor),
    ...refused,
  ];
};
