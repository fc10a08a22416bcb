import type { NodeOf } from '@parlor/shared';
import { databaseUnavailable } from '../../../database/unavailable.ts';
import { type ErrorCode, ParlorError } from '../../../platform/errors.ts';
import { go, type Runner, wait } from '../turn.ts';

/** What is no failure of the model: nobody is answered now, whatever the flow says. */
const ENDS_TURN: readonly ErrorCode[] = [
  'stopping',
  'not_found',
  'not_authenticated',
  'forbidden',
  'unavailable',
];

/** Answers through a language model, or goes to `on_error` with the message. */
export const runLlm: Runner<NodeOf<'llm'>> = async (node, turn) => {
  const { input } = turn;
  if (input === undefined || turn.tried.has(node.id)) return wait;
  turn.tried.add(node.id);
  const answer = await turn.budget.waitFor(turn.answer(node, input)).catch((error) => {
    if (error instanceof ParlorError && ENDS_TURN.includes(error.code)) throw error;
    // The turn is not taken, and can be tried again.
    if (databaseUnavailable(error)) throw error;
    return undefined;
  });
  if (answer === undefined) return node.on_error ? go(node.on_error) : wait;
  turn.input = undefined;
  // As it is: what a model writes is never expanded.
  turn.say(answer, true);
  return go(node.next ?? node.id);
};
