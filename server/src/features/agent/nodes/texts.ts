import type { NodeOf } from '@parlor/shared';
import { go, type Runner } from '../turn.ts';

export const runStart: Runner<NodeOf<'start'>> = (node, turn) => {
  turn.say(turn.fill(node.greeting));
  return go(node.next);
};

export const runMessage: Runner<NodeOf<'message'>> = (node, turn) => {
  turn.say(turn.fill(node.text));
  return go(node.next);
};

export const runHandoff: Runner<NodeOf<'handoff'>> = (node, turn) => {
  turn.say(turn.fill(node.text));
  return { kind: 'stop', status: 'handoff' };
};

export const runEnd: Runner<NodeOf<'end'>> = (node, turn) => {
  turn.say(turn.fill(node.text));
  return { kind: 'stop', status: 'ended' };
};
