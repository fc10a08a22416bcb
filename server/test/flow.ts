import type { WorkflowNode } from '@parlor/shared';
import { runFlow } from '../src/features/agent/engine.ts';
import { Graph } from '../src/features/agent/graph.ts';
import { type Ask, Turn } from '../src/features/agent/turn.ts';
import type { Position } from '../src/features/rooms/bot-state.ts';

export const noModel: Ask = () => Promise.reject(new Error('none'));

/** A conversation with a graph, without a database. */
export const conversation = (nodes: readonly object[], { metadata = {}, ask = noModel } = {}) => {
  const graph = new Graph(nodes as WorkflowNode[]);
  let position: Position = {
    status: 'active',
    node: graph.start?.id ?? '',
    asked: 0,
    variables: Object.entries(metadata),
  };
  let leadsBefore = 0;
  const take = async (input: string | undefined) => {
    const given = { account: '', input, ask, lastSentAt: new Date(0), listener: undefined, leadsBefore };
    const turn = new Turn(graph, position, given);
    const outcome = await runFlow(turn, position.node);
    position = outcome.position;
    leadsBefore = turn.leadCount;
    return { said: turn.said.map(({ text }) => text), leads: turn.leads, ...outcome };
  };
  return { start: () => take(undefined), say: take };
};

export const start = (next: string) => ({ id: 's', type: 'start', greeting: 'Hello', next });
export const end = { id: 'e', type: 'end', text: 'Bye' };

/** What a flow says to one message after the start. */
export const oneTurn = async (nodes: object[], input: string, more = {}) => {
  const talk = conversation(nodes, more);
  await talk.start();
  const { said, position } = await talk.say(input);
  return [said, position.status];
};
