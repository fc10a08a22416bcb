import { tooLong, type WorkflowNode, workflowNodes } from '@parlor/shared';
import { z } from 'zod';
import { BODY_LIMIT_BYTES } from '../../http/body-chunks.ts';
import { flawUnseen } from './patterns.ts';

/** The nodes of a graph as JSON, in UTF-16 code units: NFC makes at most three of a byte that a request has brought. */
const MAX_STORED_NODES = 3 * BODY_LIMIT_BYTES;

const NODES = workflowNodes();

type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'>;

/** A pattern that a turn would compile for seconds. */
const patternIssue = (nodes: readonly WorkflowNode[]): Issue | undefined => {
  for (const [index, node] of nodes.entries()) {
    if (node.type !== 'condition') continue;
    for (const [place, { operator, value }] of node.branches.entries()) {
      const message = operator === 'matches' ? flawUnseen(String(value ?? '')) : undefined;
      if (message !== undefined) return { path: [index, 'branches', place, 'value'], message };
    }
  }
  return undefined;
};

const firstIssue = (value: string): Issue | undefined => {
  let nodes: unknown;
  try {
    nodes = JSON.parse(value);
  } catch {
    return { path: [], message: 'Not valid JSON.' };
  }
  const { data, error } = NODES.safeParse(nodes);
  return error ? error.issues[0] : patternIssue(data);
};

const bounded = z.string().max(MAX_STORED_NODES, { error: tooLong(MAX_STORED_NODES), abort: true });

/** The nodes of a graph as they are stored: JSON of a list that the API takes. */
export const STORED_NODES = bounded.check(({ value, issues }) => {
  const issue = firstIssue(value);
  if (issue) issues.push({ code: 'custom', path: [...issue.path], message: issue.message, input: value });
});
