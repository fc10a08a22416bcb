import type { Middleware, ParameterizedContext } from 'koa';
import type { Account } from '../features/accounts/accounts.model.ts';
import type { StoredWorkflow } from '../features/agent/workflows.model.ts';
import type { Visitor } from '../features/visitors/sessions.service.ts';

/** Who makes a request. */
export type Principal = { kind: 'account'; account: Account } | { kind: 'visitor'; visitor: Visitor };

/** Who makes a request of the agent API: whoever has a workflow's public key. */
export interface AgentPrincipal {
  kind: 'agent';
  workflow: StoredWorkflow;
  /** The conversation whose own secret the caller has shown beside the key. */
  conversation?: string;
}

/** What middleware leaves for those after it. */
export interface State {
  requestId: string;
  principal?: Principal | AgentPrincipal;
  /** The parsed JSON body; undefined when there was none. */
  body?: unknown;
  /** The uuid for the object that this request makes, when its Idempotency-Key fixes it. */
  newUuid?: string;
  /** The room or lead that the answer tells of, when that is not the object that this request makes. */
  subject?: string;
}

export type Context = ParameterizedContext<State> & { params?: Record<string, string | undefined> };
export type Handler = Middleware<State>;

/** The account of a request that `authenticate` let through. */
export const accountOf = (ctx: Pick<Context, 'state'>): Account => {
  const { principal } = ctx.state;
  if (principal?.kind !== 'account') throw new Error('the route lets others than accounts through');
  return principal.account;
};

/** The workflow whose key a request carries that `authenticate.agent` let through. */
export const workflowOf = (ctx: Pick<Context, 'state'>): StoredWorkflow => {
  const { principal } = ctx.state;
  if (principal?.kind !== 'agent') throw new Error('the route lets others than agents through');
  return principal.workflow;
};
