import { AUDITED_KINDS, AuditEntry, uuidReference } from '@parlor/shared';
import { z } from 'zod';
import type { Context } from '../../http/context.ts';
import { queryChoice, queryUuid, readPage, sendPage } from '../../http/lists.ts';
import { listOf, listQuery } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { invalid } from '../../platform/errors.ts';
import { accountOf } from '../members/principal.ts';
import type { StoredAuditEntry } from './audit.model.ts';
import { type AuditFilter, type AuditTrail, presentAuditEntry } from './audit-trail.ts';
import { ACTIONS } from './audited.ts';

const query = {
  ...listQuery,
  member: uuidReference().optional().meta({ description: 'Who did it.' }),
  object: uuidReference().optional().meta({ description: 'The uuid of what it was about.' }),
  kind: z.enum(AUDITED_KINDS).optional().meta({ description: 'What kind that is.' }),
  action: z.enum(ACTIONS).optional().meta({ description: 'Instead of `kind`.' }),
};

const readFilter = (ctx: Context): AuditFilter => {
  const filter = {
    member: queryUuid(ctx, 'member'),
    object: queryUuid(ctx, 'object'),
    kind: queryChoice(ctx, 'kind', AUDITED_KINDS),
    action: queryChoice(ctx, 'action', ACTIONS),
  };
  if (filter.kind !== undefined && filter.action !== undefined) {
    throw invalid({ kind: ['An action is of one kind: give one of both.'] });
  }
  return filter;
};

/** /api/v1/audit/ (docs/contract.md#audit-trail). */
export const auditRoutes = ({
  auditTrail,
  baseUrl,
}: {
  auditTrail: AuditTrail;
  baseUrl(ctx: Context): string;
}): Route[] => [
  {
    method: 'GET',
    path: '/api/v1/audit/',
    id: 'listAudit',
    tag: 'Audit',
    summary: 'Who changed what',
    description:
      'Newest first, 365 days of it: changes of settings, people and credentials, deletions, and sign-ins. What is said in conversations is not in it. `start_date` and `end_date` go by `at`.',
    callers: ['account'],
    query,
    answers: listOf(AuditEntry),
    handler: async (ctx) => {
      const page = readPage(ctx);
      const filter = readFilter(ctx);
      const present = (found: StoredAuditEntry[]) => found.map(presentAuditEntry);
      await sendPage(
        ctx,
        page,
        (now) => ({ steps: auditTrail.list(accountOf(now), filter, page), timeField: 'at', present }),
        baseUrl(ctx),
      );
    },
  },
];
