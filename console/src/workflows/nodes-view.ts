import type { WorkflowNode } from '@parlor/shared';

/** What shows all nodes of a workflow gets, and how it tells of what was done there. */
export interface NodesView {
  nodes: readonly WorkflowNode[];
  selected: string | undefined;
  /** The nodes that the last turn of the test went through. */
  passed: readonly string[];
  /** How many problems each node has, where it has some. */
  problems: ReadonlyMap<string, number>;
  onSelect(id: string): void;
  onEdit(): void;
  onRemove(id: string): void;
}
