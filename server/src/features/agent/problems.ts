import type { WorkflowNode } from '@parlor/shared';
import { graphProblems as problemsOf, problemText } from '@parlor/shared/workflow-problems';

/** What is wrong with a graph, in words (docs/contract.md#agent-api). Publishing with problems is allowed. */
export const graphProblems = (nodes: readonly WorkflowNode[]): string[] => problemsOf(nodes).map(problemText);

/** Language models that the operator does not offer. */
export const modelProblems = (nodes: readonly WorkflowNode[], offered: ReadonlySet<string>): string[] =>
  nodes.flatMap((node) =>
    node.type === 'llm' && node.model && !offered.has(node.model)
      ? [`Node "${node.id}": the model "${node.model}" is not offered by this server.`]
      : [],
  );
