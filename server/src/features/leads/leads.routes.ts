import type Router from '@koa/router';
import { NewLead } from '@parlor/shared';
import type { Authenticator } from '../../http/authenticator.ts';
import type { Context, Handler, State } from '../../http/context.ts';
import { jsonBody } from '../../http/json-body.ts';
import { fitting, queryDays, queryLimit, queryValue, readPage, sendPage } from '../../http/lists.ts';
import { precondition, sendCreated, sendObject } from '../../http/single-object.ts';
import { pathUuid, readObject, readPatch } from '../../http/validate.ts';
import { notFound } from '../../platform/errors.ts';
import { accountOf } from '../accounts/principal.ts';
import { type LeadsService, presentLead, visitorLead } from './leads.service.ts';
import { type LeadStatisticsService, readLeadGroup } from './statistics.ts';

/** /api/v1/leads (specification 4); a visitor may create and PATCH its own (docs/contract.md#visitors). */
export const leadRoutes = (
  router: Router<State>,
  {
    authenticate,
    idempotent,
    leads,
    leadStatistics,
    baseUrl,
  }: {
    authenticate: Authenticator;
    idempotent: Handler;
    leads: LeadsService;
    leadStatistics: LeadStatisticsService;
    baseUrl(ctx: Context): string;
  },
): void => {
  const { account, accountOrVisitor } = authenticate;
  const own = (ctx: Context): [account: string, uuid: string] => [accountOf(ctx)._id, pathUuid(ctx)];

  router.get('/api/v1/leads', account, async (ctx) => {
    const page = readPage(ctx);
    const steps = leads.list(accountOf(ctx)._id, page);
    await sendPage(
      ctx,
      page,
      { steps, timeField: 'created_at', present: (found) => found.map(presentLead) },
      baseUrl(ctx),
    );
  });

  // Before /leads/:uuid, which would take `stats` for a uuid.
  router.get('/api/v1/leads/stats', account, async (ctx) => {
    const group = readLeadGroup(queryValue(ctx, 'group_by'));
    const counted = await leadStatistics.count(accountOf(ctx)._id, group, queryDays(ctx), queryLimit(ctx));
    ctx.set('Cache-Control', 'no-cache');
    ctx.body = { ...counted, results: fitting(counted.results) };
  });

  router.post('/api/v1/leads', accountOrVisitor, jsonBody(), idempotent, async (ctx) => {
    const { principal, body, newUuid } = ctx.state;
    const address = (uuid: string) => `${baseUrl(ctx)}/api/v1/leads/${uuid}/`;
    if (principal?.kind === 'visitor') {
      const { lead, isNew } = await leads.saveByVisitor(principal.visitor, readPatch(NewLead, body));
      ctx.state.subject = lead._id;
      if (isNew) sendCreated(ctx, presentLead(lead), address(lead._id));
      else sendObject(ctx, presentLead(lead));
    } else {
      const lead = await leads.create(accountOf(ctx)._id, readObject(NewLead, body), newUuid);
      sendCreated(ctx, presentLead(lead), address(lead._id));
    }
  });

  router.get('/api/v1/leads/:uuid', account, async (ctx) => {
    sendObject(ctx, presentLead(await leads.get(...own(ctx))));
  });

  router.put('/api/v1/leads/:uuid', account, jsonBody(), async (ctx) => {
    const ids = own(ctx);
    const wanted = readObject(NewLead, ctx.state.body);
    sendObject(ctx, presentLead(await leads.change(...ids, wanted, precondition(ctx))));
  });

  router.patch('/api/v1/leads/:uuid', accountOrVisitor, jsonBody(), async (ctx) => {
    const uuid = pathUuid(ctx);
    const { principal } = ctx.state;
    const isVisitor = principal?.kind === 'visitor';
    if (isVisitor && uuid !== visitorLead(principal.visitor.session)) throw notFound();
    const owner = isVisitor ? principal.visitor.session.account : accountOf(ctx)._id;
    const wanted = readPatch(NewLead, ctx.state.body);
    sendObject(ctx, presentLead(await leads.change(owner, uuid, wanted, precondition(ctx))));
  });

  router.delete('/api/v1/leads/:uuid', account, async (ctx) => {
    await leads.delete(...own(ctx), precondition(ctx));
    ctx.status = 204;
  });
};
