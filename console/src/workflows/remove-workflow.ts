import type { Workflow } from '@parlor/shared';
import type { Tagged } from '../api/client.ts';
import { workflowWords } from '../locale/workflows.ts';
import { remove } from '../ui/removal.ts';
import { toast } from '../ui/toast.tsx';

/** Deletes a workflow when that can't be taken back any more, unless somebody has changed it since. */
export const removeWorkflow = ({ object: { uuid }, etag }: Tagged<Workflow>): void => {
  const t = workflowWords.value;
  remove({
    path: `workflows/${uuid}/`,
    etag,
    text: t.removed,
    onFailed: ({ status }) => toast(status === 412 ? t.notRemovedChanged : t.notRemoved),
  });
};
