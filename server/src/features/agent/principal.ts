import type { Caller } from '../../http/turns.ts';
import type { StoredWorkflow } from './workflows.model.ts';

/** Whoever has a workflow's public key; that may be many. */
export interface AgentPrincipal {
  kind: 'agent';
  owner: string;
  /** The key, or the conversation whose own secret the caller has shown beside it. */
  scope: string;
  isShared: boolean;
  workflow: StoredWorkflow;
}

declare module '../../http/principal.ts' {
  interface Principals {
    agent: AgentPrincipal;
  }
}

/** @param conversation whose secret the caller has shown */
export const agentPrincipal = (workflow: StoredWorkflow, conversation?: string): AgentPrincipal => ({
  kind: 'agent',
  owner: workflow.account,
  scope: conversation === undefined ? `agent:${workflow.key_fingerprint}` : `conversation:${conversation}`,
  isShared: conversation === undefined,
  workflow,
});

/** The workflow whose key a request carries that `authenticate.agent` let through. */
export const workflowOf = (ctx: Caller): StoredWorkflow => {
  const { principal } = ctx.state;
  if (principal?.kind !== 'agent') throw new Error('the route lets others than agents through');
  return principal.workflow;
};
