import type { WorkflowNode } from '@parlor/shared';
import { OutOfTime } from '../../platform/cpu-budget.ts';
import type { Position } from '../rooms/bot-state.ts';
import { runCondition } from './nodes/condition.ts';
import { runFaq } from './nodes/faq.ts';
import { runLead } from './nodes/lead.ts';
import { runLlm } from './nodes/llm.ts';
import { runQuestion } from './nodes/question.ts';
import { runEnd, runHandoff, runMessage, runStart } from './nodes/texts.ts';
import type { Runner, Step, Turn } from './turn.ts';

/** Steps of one turn (docs/contract.md#agent-api): no graph can hang a request. */
const MAX_STEPS = 100;

const RUNNERS: { [T in WorkflowNode['type']]: Runner<Extract<WorkflowNode, { type: T }>> } = {
  start: runStart,
  message: runMessage,
  question: runQuestion,
  condition: runCondition,
  faq: runFaq,
  llm: runLlm,
  lead: runLead,
  handoff: runHandoff,
  end: runEnd,
};

const run = (node: WorkflowNode, turn: Turn): Step | Promise<Step> =>
  (RUNNERS[node.type] as Runner<WorkflowNode>)(node, turn);

/** What a turn came to, and what the operator should know of. */
export interface Outcome {
  position: Position;
  fault: string | undefined;
}

/**
 * Runs a flow from a node until it waits, hands off or ends. What is said on the way is in `turn`.
 * @param from the id of the node where it goes on
 */
export const runFlow = async (turn: Turn, from: string): Promise<Outcome> => {
  const { position, fault } = await walk(turn, from);
  return { position, fault: fault ?? turn.fault };
};

const walk = async (turn: Turn, from: string): Promise<Outcome> => {
  const at = (status: Position['status'], node: string): Position => ({
    status,
    node,
    asked: turn.asked,
    variables: [...turn.variables],
  });
  let id = from;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const node = turn.graph.node(id);
    if (!node) return { position: at('ended', ''), fault: `node "${id}" does not exist` };
    turn.passed.push(id);
    let step: Step;
    try {
      await turn.budget.checkpoint();
      step = await run(node, turn);
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      return { position: at('active', id), fault: error.message };
    }
    if (turn.isFull) {
      // The next message begins with what had no room.
      turn.asked = 0;
      return { position: at('active', id), fault: 'said as much as a turn may' };
    }
    switch (step.kind) {
      case 'wait':
        return { position: at('active', id), fault: undefined };
      case 'stop':
        return { position: at(step.status, ''), fault: undefined };
      case 'go':
        if (!step.to) return { position: at('ended', ''), fault: undefined };
        id = step.to;
        turn.asked = 0;
    }
  }
  return { position: at('active', id), fault: `stopped after ${MAX_STEPS} steps` };
};
