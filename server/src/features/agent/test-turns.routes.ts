import { WorkflowTest, WorkflowTestTurn } from '@parlor/shared';
import type { Context } from '../../http/context.ts';
import { uuidInPath } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { callerNow } from '../../http/turns.ts';
import { pathUuid, readObject } from '../../http/validate.ts';
import { accountOf } from '../members/principal.ts';
import type { TestTurns } from './test-turns.ts';
import { checkPatterns } from './workflow-input.ts';
import type { WorkflowsService } from './workflows.service.ts';

/** Trying a workflow without a visitor (docs/contract.md#agent-api). */
export const workflowTestRoutes = ({
  workflows,
  testTurns,
}: {
  workflows: WorkflowsService;
  testTurns: TestTurns;
}): Route[] => {
  const tested = (ctx: Context): string => `test ${accountOf(ctx)} ${ctx.params?.uuid?.toLowerCase()}`;
  return [
    {
      method: 'POST',
      path: '/api/v1/workflows/{uuid}/test/',
      limits: [{ group: 'agent-conversation', after: 'credential', key: tested }],
      id: 'testWorkflow',
      tag: 'Workflows',
      summary: 'Talk to a workflow without leaving anything behind',
      description:
        'Published or not, saved or with other `nodes`. No room, message, lead, event or mail comes of it; a language model is asked, and its budgets count. Send the `state` of the answer with the next message. As many a minute as messages of a conversation; 429 where four of the account are under way. `Idempotency-Key` is ignored here.',
      callers: ['account'],
      params: { uuid: uuidInPath() },
      body: WorkflowTest,
      bodyExample: {},
      isBodyOptional: true,
      answers: {
        status: 200,
        description: 'What the bot says, and where it then stands.',
        schema: WorkflowTestTurn,
      },
      handler: async (ctx) => {
        const uuid = pathUuid(ctx);
        await workflows.get(accountOf(ctx), uuid);
        const test = readObject(WorkflowTest, ctx.state.body);
        await checkPatterns(ctx, test.nodes ?? []);
        ctx.set('Cache-Control', 'no-store');
        const caller = callerNow(ctx);
        const workflow = async () => workflows.get(accountOf(await caller()), uuid);
        ctx.body = await testTurns.take(accountOf(ctx), workflow, test, ctx.ip);
      },
    },
  ];
};
