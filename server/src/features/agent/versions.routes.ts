import { WorkflowVersion, WorkflowVersionDetail } from '@parlor/shared';
import { z } from 'zod';
import type { Context } from '../../http/context.ts';
import { shown, uuidInPath } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { sendObject } from '../../http/single-object.ts';
import { type Caller, inTurn, objectInTurn } from '../../http/turns.ts';
import { pathUuid } from '../../http/validate.ts';
import { accountOf } from '../members/principal.ts';
import type { StoredWorkflow } from './workflows.model.ts';
import type { WorkflowsService } from './workflows.service.ts';

const tag = 'Workflows';
const callers = ['account'] as const;

/** The versions of a workflow's graph (docs/contract.md#agent-api). One is brought back by a PATCH of `nodes`. */
export const workflowVersionRoutes = ({ workflows }: { workflows: WorkflowsService }): Route[] => {
  const own = (ctx: Context, now: Caller = ctx): Promise<StoredWorkflow> =>
    workflows.get(accountOf(now), pathUuid(ctx));

  return [
    {
      method: 'GET',
      path: '/api/v1/workflows/{uuid}/versions/',
      id: 'listWorkflowVersions',
      tag,
      summary: 'The versions of a workflow’s graph that are kept',
      description: 'Newest first: the latest 50, and the current one. Each is a graph as it was saved.',
      callers,
      params: { uuid: uuidInPath() },
      answers: { status: 200, description: 'The versions.', schema: z.array(WorkflowVersion) },
      handler: async (ctx) => {
        ctx.set('Cache-Control', 'no-cache');
        ctx.body = await inTurn(ctx, async (now) => workflows.graphs.versions(await own(ctx, now)));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/workflows/{uuid}/versions/{version}/',
      id: 'retrieveWorkflowVersion',
      tag,
      summary: 'One version with its graph',
      description: 'To bring it back, set the workflow’s `nodes` to its `nodes`.',
      callers,
      params: { uuid: uuidInPath(), version: uuidInPath() },
      condition: 'read',
      answers: shown(WorkflowVersionDetail),
      handler: async (ctx) => {
        const version = pathUuid({ params: { uuid: ctx.params?.version } });
        const read = async (now: Caller) => workflows.graphs.version(await own(ctx, now), version);
        sendObject(ctx, await objectInTurn(ctx, read));
      },
    },
  ];
};
