import type Router from '@koa/router';
import { NewWorkflow, type Workflow } from '@parlor/shared';
import type { Authenticator } from '../../http/authenticator.ts';
import type { Context, Handler, State } from '../../http/context.ts';
import { jsonBody } from '../../http/json-body.ts';
import { readPage, sendPage } from '../../http/lists.ts';
import { precondition, sendObject } from '../../http/single-object.ts';
import { pathUuid, readObject, readPatch } from '../../http/validate.ts';
import { accountOf } from '../accounts/principal.ts';
import type { Quotas } from '../accounts/quotas.ts';
import { checkPatterns } from './workflow-input.ts';
import type { StoredWorkflow } from './workflows.model.ts';
import type { WorkflowsService } from './workflows.service.ts';

/** /api/v1/workflows (docs/contract.md#agent-api). */
export const workflowRoutes = (
  router: Router<State>,
  {
    authenticate,
    workflows,
    quotas,
    idempotent,
    baseUrl,
  }: {
    authenticate: Authenticator;
    workflows: WorkflowsService;
    quotas: Quotas;
    idempotent: Handler;
    baseUrl(ctx: Context): string;
  },
): void => {
  const { account } = authenticate;
  const own = (ctx: Context): [account: string, uuid: string] => [accountOf(ctx)._id, pathUuid(ctx)];

  // The key joins the answer outside of `idempotent`, which keeps answers in the database as they are.
  const withKey: Handler = async (ctx, next) => {
    await next();
    const { uuid } = JSON.parse(String(ctx.body)) as Pick<Workflow, 'uuid'>;
    const workflow = await workflows.get(accountOf(ctx)._id, uuid);
    sendObject(ctx, await workflows.present(workflow), ctx.status);
  };

  router.get('/api/v1/workflows', account, async (ctx) => {
    const page = readPage(ctx);
    const steps = workflows.list(accountOf(ctx)._id, page);
    const present = (found: StoredWorkflow[]) => workflows.presentAll(found);
    await sendPage(ctx, page, { steps, timeField: 'created_at', present, together: 8 }, baseUrl(ctx));
  });

  router.post('/api/v1/workflows', account, jsonBody(), withKey, idempotent, async (ctx) => {
    const input = readObject(NewWorkflow, ctx.state.body);
    await checkPatterns(input.nodes);
    const { _id: account } = accountOf(ctx);
    const { newUuid } = ctx.state;
    const { _id } = await quotas.within('workflows', account, newUuid, () =>
      workflows.create(account, input, newUuid),
    );
    ctx.status = 201;
    ctx.set('Location', `${baseUrl(ctx)}/api/v1/workflows/${_id}/`);
    ctx.body = JSON.stringify({ uuid: _id });
  });

  router.get('/api/v1/workflows/:uuid', account, async (ctx) => {
    sendObject(ctx, await workflows.present(await workflows.get(...own(ctx))));
  });

  router.put('/api/v1/workflows/:uuid', account, jsonBody(), async (ctx) => {
    const ids = own(ctx);
    const wanted = readObject(NewWorkflow, ctx.state.body);
    await checkPatterns(wanted.nodes);
    const changed = await workflows.change(...ids, wanted, precondition(ctx));
    sendObject(ctx, await workflows.present(changed));
  });

  router.patch('/api/v1/workflows/:uuid', account, jsonBody(), async (ctx) => {
    const ids = own(ctx);
    const wanted = readPatch(NewWorkflow, ctx.state.body);
    await checkPatterns(wanted.nodes ?? []);
    const changed = await workflows.change(...ids, wanted, precondition(ctx));
    sendObject(ctx, await workflows.present(changed));
  });

  router.delete('/api/v1/workflows/:uuid', account, async (ctx) => {
    await workflows.delete(...own(ctx), precondition(ctx));
    ctx.status = 204;
  });

  router.post('/api/v1/workflows/:uuid/rotate-key', account, jsonBody(), withKey, idempotent, async (ctx) => {
    const { _id } = await workflows.rotateKey(...own(ctx));
    ctx.body = JSON.stringify({ uuid: _id });
  });
};
