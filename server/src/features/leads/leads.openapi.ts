import { LEAD_GROUPS, Lead, LeadStatistics, NewLead } from '@parlor/shared';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  created,
  deleted,
  listOf,
  listQuery,
  operation,
  patchOf,
  shown,
  uuidInPath,
} from '../../http/openapi/operation.ts';

const tag = 'Leads';
const callers = ['account'] as const;
const path = { uuid: uuidInPath() };
const { cursor: _, ...statisticsQuery } = listQuery;

export const leadPaths: ZodOpenApiPathsObject = {
  '/api/v1/leads/': {
    get: operation({
      id: 'listLeads',
      tag,
      summary: 'List your leads',
      description: 'Newest first; page by the address in `Link`.',
      callers,
      query: listQuery,
      answers: listOf(Lead),
    }),
    post: operation({
      id: 'createLead',
      tag,
      summary: 'Create a lead',
      description:
        'One of nickname, email, phone_number must not be blank. Fires lead.added. A visitor has one lead: its second POST changes that one, fires lead.changed and answers 200.',
      callers: ['account', 'visitor'],
      body: NewLead,
      isIdempotent: true,
      answers: [created(Lead), { ...shown(Lead), description: "A visitor's lead, changed." }],
    }),
  },
  '/api/v1/leads/stats/': {
    get: operation({
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
    }),
  },
  '/api/v1/leads/{uuid}/': {
    get: operation({
      id: 'retrieveLead',
      tag,
      summary: 'Details of one lead',
      description: 'By its uuid.',
      callers,
      path,
      condition: 'read',
      answers: shown(Lead),
    }),
    put: operation({
      id: 'updateLead',
      tag,
      summary: 'Replace all fields',
      description:
        'What is not sent goes back to its default. Fires lead.changed when a field really changed.',
      callers,
      path,
      body: NewLead,
      condition: 'write',
      answers: shown(Lead),
    }),
    patch: operation({
      id: 'changeLead',
      tag,
      summary: 'Change one or some fields',
      description: 'Fires lead.changed when a field really changed. A visitor may change its own lead.',
      callers: ['account', 'visitor'],
      path,
      body: patchOf(NewLead, 'LeadPatch'),
      bodyExample: { email: 'ada@example.com' },
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Lead),
    }),
    delete: operation({
      id: 'deleteLead',
      tag,
      summary: 'Delete a lead',
      description: 'Deliveries that told of it lose what they said.',
      callers,
      path,
      condition: 'write',
      answers: deleted,
    }),
  },
};
