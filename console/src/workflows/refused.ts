import type { WorkflowNode } from '@parlor/shared';
import type { ApiError } from '../api/client.ts';

/** What is wrong with fields of nodes, by the nodes' names and the fields' paths. */
export type Refused = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** What the server has refused of nodes that were sent to it. */
export const refusedOf = ({ fields }: ApiError, nodes: readonly WorkflowNode[]): Refused => {
  const refused = new Map<string, Record<string, string>>();
  for (const [path, text] of Object.entries(fields)) {
    const [, at, field = 'id'] = /^nodes\.(\d+)(?:\.(.+))?$/.exec(path) ?? [];
    const id = at === undefined ? undefined : nodes[Number(at)]?.id;
    if (id !== undefined) refused.set(id, { ...refused.get(id), [field]: text });
  }
  return refused;
};
