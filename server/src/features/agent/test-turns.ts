import type { WorkflowNode, WorkflowTest, WorkflowTestState, WorkflowTestTurn } from '@parlor/shared';
import { MAX_TEST_LINES } from '@parlor/shared';
import type { AskedFrom } from '../../http/asked-from.ts';
import { invalid, invalidTogether } from '../../platform/errors.ts';
import { FairTurns } from '../../platform/fair-turns.ts';
import { newUuid } from '../../platform/ids.ts';
import { runFlow } from './engine.ts';
import type { Graph, GraphCache } from './graph.ts';
import type { Asker } from './llm/allowance.ts';
import type { LanguageModel, Question } from './llm/language-model.ts';
import { whileWanted } from './llm/while-wanted.ts';
import { type Ask, type HistoryLine, Turn } from './turn.ts';
import type { StoredWorkflow } from './workflows.model.ts';

/** Bytes of what was said before that go along. */
const MAX_HISTORY_BYTES = 65_536;

/** One may wait for a language model: of an account, and of all together, this many run at once (docs/limits.md). */
const turns = { running: 64, runningOfOne: 4, waitingOfOne: 0 };

/** The latest of what was said, as much as goes along. */
const latest = (lines: readonly HistoryLine[]): HistoryLine[] => {
  let left = MAX_HISTORY_BYTES;
  const kept: HistoryLine[] = [];
  for (const line of lines.slice(-MAX_TEST_LINES).reverse()) {
    left -= Buffer.byteLength(line.text);
    if (left < 0) break;
    kept.unshift(line);
  }
  return kept;
};

/** Where a conversation begins. @throws ParlorError `invalid` where the graph has no Start node */
const beginOf = (graph: Graph, variables: WorkflowTest['variables'] = []): WorkflowTestState => {
  if (!graph.start) throw invalidTogether('The workflow has no Start node.');
  return { uuid: newUuid(), node: graph.start.id, asked: 0, variables, history: [] };
};

/**
 * Turns of test conversations: a workflow, saved or not, answers as it would answer a visitor, and nothing of it is
 * stored, announced or sent. The caller keeps the state.
 */
export class TestTurns {
  readonly #graphs: Pick<GraphCache, 'get' | 'unsaved'>;
  readonly #model: Pick<LanguageModel, 'forTurn'>;
  readonly #askedFrom: (client: string) => AskedFrom;
  readonly #turns = new FairTurns(turns);

  constructor(
    graphs: Pick<GraphCache, 'get' | 'unsaved'>,
    model: Pick<LanguageModel, 'forTurn'>,
    askedFrom: (client: string) => AskedFrom,
  ) {
    this.#graphs = graphs;
    this.#model = model;
    this.#askedFrom = askedFrom;
  }

  /**
   * @param workflow gives the one that is tried, as it stands once its turn has come, and while a model is asked
   * @param client the caller's address
   * @throws ParlorError `invalid`; `throttled` when as many of the account's run as may; what `workflow` throws
   */
  take(
    account: string,
    workflow: () => Promise<StoredWorkflow>,
    test: WorkflowTest,
    client: string,
  ): Promise<WorkflowTestTurn> {
    return this.#turns.run(account, async () => this.#take(workflow, test, client));
  }

  async #take(
    now: () => Promise<StoredWorkflow>,
    { nodes, ...test }: WorkflowTest,
    client: string,
  ): Promise<WorkflowTestTurn> {
    const workflow = await now();
    const graph = await this.#graphOf(workflow, nodes);
    const { state = beginOf(graph, test.variables) } = test;
    const message = test.state && test.message;
    if (test.state && message === undefined) throw invalid({ message: ['This field is required.'] });
    const history = state.history.map(({ sender, message }) => ({ sender, text: message }));
    const faults: string[] = [];
    const asked = {
      account: workflow.account,
      room: `test ${state.uuid}`,
      askedFrom: this.#askedFrom(client),
    };
    const ask = this.#askFor({ ...asked, history: async () => history }, now, faults);
    const position = { asked: state.asked, variables: pairsOf(state.variables) };
    const given = {
      account: workflow.account,
      input: message,
      ask,
      lastSentAt: new Date(0),
      listener: undefined,
    };
    const turn = new Turn(graph, position, given);
    const { position: after, fault } = await runFlow(turn, state.node);
    if (fault) faults.push(fault);
    const said = turn.said.map(({ text }) => text);
    const heard = message === undefined ? [] : [{ sender: 'visitor' as const, text: message }];
    const lines = [...history, ...heard, ...said.map((text) => ({ sender: 'bot' as const, text }))];
    const isOpen = after.status === 'active';
    const next: WorkflowTestState = {
      uuid: state.uuid,
      node: after.node,
      asked: after.asked,
      variables: after.variables.map(([name, value]) => ({ name, value })),
      history: latest(lines).map(({ sender, text }) => ({
        sender: sender as 'visitor' | 'bot',
        message: text,
      })),
    };
    return {
      messages: said,
      status: after.status,
      state: isOpen ? next : null,
      passed: turn.passed,
      leads: turn.leads,
      faults,
    };
  }

  async #graphOf({ graph }: StoredWorkflow, nodes: readonly WorkflowNode[] | undefined): Promise<Graph> {
    return nodes ? this.#graphs.unsaved(nodes) : this.#graphs.get(graph);
  }

  #askFor(asked: Asker & Pick<Question, 'history'>, now: () => Promise<unknown>, faults: string[]): Ask {
    const ask = this.#model.forTurn();
    return async (node, { variables, input }, delta) => {
      try {
        return await whileWanted(now, (gone) => ask({ ...asked, node, variables, input, gone, delta }));
      } catch (error) {
        // Why is the operator's to know, and stands in the log.
        faults.push(`node "${node.id}": the language model did not answer`);
        throw error;
      }
    };
  }
}

const pairsOf = (variables: WorkflowTestState['variables']): [string, string][] =>
  variables.map(({ name, value }) => [name, value]);
