import { LEAD_GROUPS, Lead, LeadStatistics, NewLead } from '@parlor/shared';
import { z } from 'zod';
import type { Context } from '../../http/context.ts';
import { whenHungUp } from '../../http/hung-up.ts';
import { fitting, queryDays, queryLimit, queryValue, readPage, sendPage } from '../../http/lists.ts';
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
import { precondition, sendCreated, sendObject } from '../../http/single-object.ts';
import { callerNow } from '../../http/turns.ts';
import { pathUuid, readObject, readPatch } from '../../http/validate.ts';
import { notFound } from '../../platform/errors.ts';
import { accountOf, actionOf, viewNow, viewOf } from '../members/principal.ts';
import { type View, wholeAccount } from '../members/view.ts';
import type { Visitor } from '../visitors/sessions.service.ts';
import type { StoredLead } from './leads.model.ts';
import { type LeadsService, presentLead, visitorLead } from './leads.service.ts';
import { type LeadStatisticsService, readLeadGroup } from './statistics.ts';

const tag = 'Leads';
const callers = ['account'] as const;
const params = { uuid: uuidInPath() };
const { cursor: _, ...statisticsQuery } = listQuery;

/** What a visitor finds its own lead in, as long as its session stands. It throws as `callerNow` does. */
const visitorsViewNow = (ctx: Context, { session }: Visitor): (() => Promise<View>) => {
  const caller = callerNow(ctx);
  return async () => {
    await caller();
    return wholeAccount(session.account);
  };
};

/** /api/v1/leads (specification 4); a visitor may create and PATCH its own (docs/contract.md#visitors). */
export const leadRoutes = ({
  leads,
  leadStatistics,
  baseUrl,
}: {
  leads: LeadsService;
  leadStatistics: LeadStatisticsService;
  baseUrl(ctx: Context): string;
}): Route[] => {
  return [
    {
      method: 'GET',
      path: '/api/v1/leads/',
      id: 'listLeads',
      tag,
      summary: 'List your leads',
      description: 'Newest first; page by the address in `Link`.',
      callers,
      query: listQuery,
      answers: listOf(Lead),
      handler: async (ctx) => {
        const page = readPage(ctx);
        await sendPage(
          ctx,
          page,
          (now) => ({
            steps: leads.list(viewOf(now), page),
            timeField: 'created_at',
            present: (found: StoredLead[]) => found.map(presentLead),
          }),
          baseUrl(ctx),
        );
      },
    },
    // Before /leads/:uuid, which would take `stats` for a uuid.
    {
      method: 'GET',
      path: '/api/v1/leads/stats/',
      id: 'countLeads',
      tag,
      summary: 'Total leads in a month, or in the days given',
      description:
        'Largest first; `day` oldest first, without gaps. By default the current UTC month to now. More than 3660 days by `day` are a 400, as is a `start_date` after the `end_date`.',
      callers,
      query: { group_by: z.enum(LEAD_GROUPS).default('user').optional(), ...statisticsQuery },
      answers: {
        status: 200,
        description: 'Each result has the word of `group_by` as its key.',
        schema: LeadStatistics,
      },
      handler: async (ctx) => {
        const group = readLeadGroup(queryValue(ctx, 'group_by'));
        const counted = await leadStatistics.count(
          accountOf(ctx),
          viewNow(ctx),
          group,
          queryDays(ctx),
          queryLimit(ctx),
          whenHungUp(ctx),
        );
        ctx.set('Cache-Control', 'no-cache');
        ctx.body = { ...counted, results: fitting(counted.results) };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/leads/',
      cors: 'visitor',
      id: 'createLead',
      tag,
      summary: 'Create a lead',
      description:
        'One of nickname, email, phone_number must not be blank. Fires lead.added. A visitor has one lead: its second POST changes that one, fires lead.changed and answers 200.',
      callers: ['account', 'visitor'],
      body: NewLead,
      isIdempotent: true,
      answers: [created(Lead), { ...shown(Lead), description: "A visitor's lead, changed." }],
      handler: async (ctx) => {
        const { principal, body, newUuid } = ctx.state;
        const address = (uuid: string) => `${baseUrl(ctx)}/api/v1/leads/${uuid}/`;
        if (principal?.kind === 'visitor') {
          const sent = readPatch(NewLead, body);
          const { visitor } = principal;
          const { lead, isNew } = await leads.saveByVisitor(visitor, sent, visitorsViewNow(ctx, visitor));
          ctx.state.subject = { uuid: lead._id, at: new Date() };
          if (isNew) sendCreated(ctx, presentLead(lead), address(lead._id));
          else sendObject(ctx, presentLead(lead));
        } else {
          const lead = await leads.create(accountOf(ctx), readObject(NewLead, body), newUuid);
          sendCreated(ctx, presentLead(lead), address(lead._id));
        }
      },
    },
    {
      method: 'GET',
      path: '/api/v1/leads/{uuid}/',
      id: 'retrieveLead',
      tag,
      summary: 'Details of one lead',
      description: 'By its uuid.',
      callers,
      params,
      condition: 'read',
      answers: shown(Lead),
      handler: async (ctx) => {
        sendObject(ctx, presentLead(await leads.get(viewOf(ctx), pathUuid(ctx))));
      },
    },
    {
      method: 'PUT',
      path: '/api/v1/leads/{uuid}/',
      id: 'updateLead',
      tag,
      summary: 'Replace all fields',
      description:
        'What is not sent goes back to its default. Fires lead.changed when a field really changed.',
      callers,
      params,
      body: NewLead,
      condition: 'write',
      answers: shown(Lead),
      handler: async (ctx) => {
        const uuid = pathUuid(ctx);
        const wanted = readObject(NewLead, ctx.state.body);
        sendObject(ctx, presentLead(await leads.change(viewNow(ctx), uuid, wanted, precondition(ctx))));
      },
    },
    {
      method: 'PATCH',
      path: '/api/v1/leads/{uuid}/',
      cors: 'visitor',
      id: 'changeLead',
      tag,
      summary: 'Change one or some fields',
      description: 'Fires lead.changed when a field really changed. A visitor may change its own lead.',
      callers: ['account', 'visitor'],
      params,
      body: patchOf(NewLead, 'LeadPatch'),
      bodyExample: { email: 'ada@example.com' },
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Lead),
      handler: async (ctx) => {
        const uuid = pathUuid(ctx);
        const { principal } = ctx.state;
        const isVisitor = principal?.kind === 'visitor';
        if (isVisitor && uuid !== visitorLead(principal.visitor.session)) throw notFound();
        const seen = isVisitor ? visitorsViewNow(ctx, principal.visitor) : viewNow(ctx);
        const wanted = readPatch(NewLead, ctx.state.body);
        sendObject(ctx, presentLead(await leads.change(seen, uuid, wanted, precondition(ctx))));
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/leads/{uuid}/',
      id: 'deleteLead',
      tag,
      summary: 'Delete a lead',
      description:
        'Deliveries that told of it lose what they said. Members learn of it on the live channel (`lead.deleted`).',
      callers,
      params,
      condition: 'write',
      answers: deleted,
      handler: async (ctx) => {
        await leads.delete(accountOf(ctx), pathUuid(ctx), precondition(ctx), actionOf(ctx));
        ctx.status = 204;
      },
    },
  ];
};
