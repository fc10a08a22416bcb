import { NewWorkflow, Workflow } from '@parlor/shared';
import type { Context, Handler } from '../../http/context.ts';
import { readPage, sendPage } from '../../http/lists.ts';
import {
  created,
  deleted,
  listOf,
  listQuery,
  patchOf,
  shown,
  uuidInPath,
} from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { precondition, sendObject } from '../../http/single-object.ts';
import { type Caller, objectInTurn } from '../../http/turns.ts';
import { pathUuid, readObject, readPatch } from '../../http/validate.ts';
import { ParlorError } from '../../platform/errors.ts';
import type { Quotas } from '../accounts/quotas.ts';
import { accountOf, actionOf, memberNow } from '../members/principal.ts';
import { checkPatterns } from './workflow-input.ts';
import type { StoredWorkflow } from './workflows.model.ts';
import type { WorkflowsService } from './workflows.service.ts';

const tag = 'Workflows';
const callers = ['account'] as const;
const params = { uuid: uuidInPath() };
const nodes = [
  { id: 'hello', type: 'start', greeting: 'Hello! What can we do for you?', next: 'bye' },
  { id: 'bye', type: 'end', text: 'Goodbye.' },
];

/** /api/v1/workflows (docs/contract.md#agent-api). */
export const workflowRoutes = ({
  workflows,
  quotas,
  baseUrl,
}: {
  workflows: WorkflowsService;
  quotas: Quotas;
  baseUrl(ctx: Context): string;
}): Route[] => {
  const own = (ctx: Context): [account: string, uuid: string] => [accountOf(ctx), pathUuid(ctx)];

  // The key joins the response outside of `idempotent`, which keeps responses in the database as they are.
  const withKey: Handler = async (ctx, next) => {
    await next();
    const { uuid } = JSON.parse(String(ctx.body)) as Pick<Workflow, 'uuid'>;
    const made = await workflows.find(accountOf(ctx), uuid);
    if (!made) throw new ParlorError('conflict', 'The workflow of this Idempotency-Key has been deleted.');
    sendObject(ctx, await workflows.present(made), ctx.status);
  };

  return [
    {
      method: 'GET',
      path: '/api/v1/workflows/',
      id: 'listWorkflows',
      tag,
      summary: 'List your workflows',
      description: 'Newest first, each with its whole graph and what is wrong with it.',
      callers,
      query: listQuery,
      answers: listOf(Workflow),
      handler: async (ctx) => {
        const page = readPage(ctx);
        const present = (found: StoredWorkflow[]) => workflows.presentAll(found);
        await sendPage(
          ctx,
          page,
          (now) => ({
            steps: workflows.list(accountOf(now), page),
            timeField: 'created_at',
            present,
            together: 8,
          }),
          baseUrl(ctx),
        );
      },
    },
    {
      method: 'POST',
      path: '/api/v1/workflows/',
      aroundKept: withKey,
      id: 'createWorkflow',
      tag,
      summary: 'Create a workflow',
      description:
        'A graph of nodes and a public key that starts conversations with it. `problems` says what is wrong with the graph; it can be published all the same. At most 100 an account; 50 versions of each are kept.',
      callers,
      body: NewWorkflow,
      bodyExample: { name: 'Questions about orders', is_published: true, nodes },
      isIdempotent: true,
      answers: created(Workflow),
      handler: async (ctx) => {
        const whoNow = memberNow(ctx);
        const input = readObject(NewWorkflow, ctx.state.body);
        await checkPatterns(ctx, input.nodes);
        const account = accountOf(ctx);
        const { newUuid } = ctx.state;
        const { _id } = await quotas.within('workflows', account, newUuid, whoNow, () =>
          workflows.create(account, input, newUuid, actionOf(ctx)),
        );
        ctx.status = 201;
        ctx.set('Location', `${baseUrl(ctx)}/api/v1/workflows/${_id}/`);
        ctx.body = JSON.stringify({ uuid: _id });
      },
    },
    {
      method: 'GET',
      path: '/api/v1/workflows/{uuid}/',
      id: 'retrieveWorkflow',
      tag,
      summary: 'Details of one workflow',
      description: 'With its graph, its public key and what is wrong with it.',
      callers,
      params,
      condition: 'read',
      answers: shown(Workflow),
      handler: async (ctx) => {
        const uuid = pathUuid(ctx);
        const read = async (now: Caller) => workflows.present(await workflows.get(accountOf(now), uuid));
        sendObject(ctx, await objectInTurn(ctx, read));
      },
    },
    {
      method: 'PUT',
      path: '/api/v1/workflows/{uuid}/',
      id: 'updateWorkflow',
      tag,
      summary: 'Replace all fields',
      description: 'Conversations that have begun go on by the graph that they began with.',
      callers,
      params,
      body: NewWorkflow,
      bodyExample: { name: 'Questions about orders', nodes },
      condition: 'write',
      answers: shown(Workflow),
      handler: async (ctx) => {
        const ids = own(ctx);
        const wanted = readObject(NewWorkflow, ctx.state.body);
        await checkPatterns(ctx, wanted.nodes);
        const changed = await workflows.change(...ids, wanted, precondition(ctx), actionOf(ctx));
        sendObject(ctx, await workflows.present(changed));
      },
    },
    {
      method: 'PATCH',
      path: '/api/v1/workflows/{uuid}/',
      id: 'changeWorkflow',
      tag,
      summary: 'Change one or some fields',
      description: 'Conversations that have begun go on by the graph that they began with.',
      callers,
      params,
      body: patchOf(NewWorkflow, 'WorkflowPatch'),
      bodyExample: { is_published: false },
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Workflow),
      handler: async (ctx) => {
        const ids = own(ctx);
        const wanted = readPatch(NewWorkflow, ctx.state.body);
        await checkPatterns(ctx, wanted.nodes ?? []);
        const changed = await workflows.change(...ids, wanted, precondition(ctx), actionOf(ctx));
        sendObject(ctx, await workflows.present(changed));
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/workflows/{uuid}/',
      id: 'deleteWorkflow',
      tag,
      summary: 'Delete a workflow',
      description: 'Its public key is dead at once.',
      callers,
      params,
      condition: 'write',
      answers: deleted,
      handler: async (ctx) => {
        await workflows.delete(...own(ctx), precondition(ctx), actionOf(ctx));
        ctx.status = 204;
      },
    },
    {
      method: 'POST',
      path: '/api/v1/workflows/{uuid}/rotate-key/',
      aroundKept: withKey,
      id: 'rotateWorkflowKey',
      tag,
      summary: 'Make a new public key; the old one is dead at once',
      description: 'For a key that fell into the wrong hands; put the new one on your pages.',
      callers,
      params,
      isIdempotent: true,
      answers: shown(Workflow),
      handler: async (ctx) => {
        const { _id } = await workflows.rotateKey(...own(ctx), actionOf(ctx));
        ctx.body = JSON.stringify({ uuid: _id });
      },
    },
  ];
};
