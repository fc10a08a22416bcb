import type { WorkflowNode } from '@parlor/shared';
import type { ComponentChildren } from 'preact';

/** What a form of a node gets, and how it tells of what was typed. */
export interface FieldsProps<N extends WorkflowNode = WorkflowNode> {
  node: N;
  /** Which names texts may use, said as a hint. */
  namesHint: string | undefined;
  /** Sets fields of the node; what is typed into one field in a row is one step. */
  set(fields: Partial<N>, key: string): void;
  /** Where a way out leads, to be chosen. */
  wayFor(field: string, label: string): ComponentChildren;
  /** What the server has said of a field. */
  errorOf(field: string): string | undefined;
}
