import { tooLong, workflowNodes } from '@parlor/shared';
import { z } from 'zod';
import { BODY_LIMIT_BYTES } from '../../http/json-body.ts';

/** The nodes of a graph as JSON, in UTF-16 code units: NFC makes at most three of a byte that a request has brought. */
const MAX_STORED_NODES = 3 * BODY_LIMIT_BYTES;

const NODES = workflowNodes();

const firstIssue = (value: string): Pick<z.core.$ZodIssue, 'path' | 'message'> | undefined => {
  try {
    return NODES.safeParse(JSON.parse(value)).error?.issues[0];
  } catch {
    return { path: [], message: 'Not valid JSON.' };
  }
};

const bounded = z.string().max(MAX_STORED_NODES, { error: tooLong(MAX_STORED_NODES), abort: true });

/** The nodes of a graph as they are stored: JSON of a list that the API takes. */
export const STORED_NODES = bounded.check(({ value, issues }) => {
  const issue = firstIssue(value);
  if (issue) issues.push({ code: 'custom', path: [...issue.path], message: issue.message, input: value });
});
