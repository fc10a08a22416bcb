import type { NodeOf } from '@parlor/shared';
import { go, type Runner, wait } from '../turn.ts';

/**
 * How sure an answer must be: the share of what the question says that must stand in an entry
 * (docs/contract.md#agent-api).
 */
export const THRESHOLD = 0.5;

/** Answers what was asked from its entries, or goes to `on_miss` with the question. */
export const runFaq: Runner<NodeOf<'faq'>> = async (node, turn) => {
  const { input } = turn;
  if (input === undefined || turn.tried.has(node.id)) return wait;
  turn.tried.add(node.id);
  const answer = await turn.graph.askFaq(node, turn, (faq) =>
    faq.answer(input, node.threshold ?? THRESHOLD, turn.budget),
  );
  if (answer === undefined) return node.on_miss ? go(node.on_miss) : wait;
  turn.input = undefined;
  turn.say(turn.fill(answer));
  return go(node.next ?? node.id);
};
