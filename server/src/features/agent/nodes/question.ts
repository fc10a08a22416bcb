import type { NodeOf } from '@parlor/shared';
import { readAnswer } from '../read-answer.ts';
import { go, type Runner, wait } from '../turn.ts';

/** Asked three times in all (docs/contract.md#agent-api). */
const MAX_RETRIES = 2;

/** Asks, waits, keeps the answer; asks again when it is not of the kind that is wanted. */
export const runQuestion: Runner<NodeOf<'question'>> = (node, turn) => {
  if (turn.asked === 0) {
    // What was written before the question is no answer to it.
    turn.input = undefined;
    turn.say(turn.fill(node.text));
    turn.asked = 1;
    return wait;
  }
  if (turn.input === undefined) return wait;
  const answer = readAnswer(node.validate ?? 'text', turn.input, node.choices ?? []);
  turn.input = undefined;
  if (answer !== undefined) {
    if (node.save_as) turn.keep(node.save_as, answer);
    return go(node.next);
  }
  if (turn.asked > (node.max_retries ?? MAX_RETRIES)) return go(node.on_failure ?? node.next);
  turn.say(turn.fill(node.retry_text || node.text));
  turn.asked += 1;
  return wait;
};
