import type { WorkflowNode } from '@parlor/shared';
import { workflowWords } from '../locale/workflows.ts';
import { toast } from '../ui/toast.tsx';
import type { Editor } from './editor.ts';
import { without } from './nodes.ts';

/** Deletes a node; what led to it leads to what came after it, and it can be taken back. */
export const removeStep = (editor: Editor, node: WorkflowNode): void => {
  const before = editor.draft.value;
  const at = before.nodes.indexOf(node);
  editor.changeNodes(without(before.nodes, node));
  const after = editor.draft.value;
  const { nodes } = after;
  editor.selected.value = (nodes[at] ?? nodes.at(-1))?.id;
  toast(workflowWords.value.stepRemoved(node.id), () => {
    // What has been changed since is taken back by its own steps.
    if (editor.draft.value === after) editor.undo();
    else editor.change(before);
    editor.selected.value = node.id;
  });
};
