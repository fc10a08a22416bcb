import type { WorkflowNode } from '@parlor/shared';
import { describe, expect, it } from 'vitest';
import { graphProblems } from './problems.ts';

const problems = (...nodes: object[]) => graphProblems(nodes as WorkflowNode[]);
const start = { id: 's', type: 'start' };

describe('graphProblems', () => {
  it('finds none in a graph that is well', () => {
    expect(
      problems(
        { ...start, next: 'q' },
        { id: 'q', type: 'question', text: 'Name?', next: 'c', on_failure: 'h' },
        {
          id: 'c',
          type: 'condition',
          branches: [{ variable: 'a', operator: 'exists', next: 'f' }],
          else: 'h',
        },
        { id: 'f', type: 'faq', entries: [], on_miss: 'l' },
        { id: 'l', type: 'llm', on_error: 'h' },
        { id: 'h', type: 'handoff' },
      ),
    ).toEqual([]);
  });

  it.each([
    [[], ['The workflow has no Start node.']],
    [[{ id: 'a', type: 'end' }], ['The workflow has no Start node.']],
    [[start, { ...start, id: 't' }], ['The workflow has 2 Start nodes; "s" is used.']],
    [[{ ...start, next: 'x' }], ['Node "s": next leads to "x", which does not exist.']],
    [
      [
        { ...start, next: 'c' },
        {
          id: 'c',
          type: 'condition',
          branches: [{ variable: 'a', operator: 'exists', next: 'x' }],
          else: 'y',
        },
      ],
      [
        'Node "c": branches[0].next leads to "x", which does not exist.',
        'Node "c": else leads to "y", which does not exist.',
      ],
    ],
    [[start, { id: 'm', type: 'message', text: 'Hi' }], ['Node "m" can\'t be reached.']],
    [
      [
        { ...start, next: 'a' },
        { id: 'a', type: 'message', text: 'a', next: 'b' },
        { id: 'b', type: 'message', text: 'b', next: 'a' },
      ],
      ['The loop "a", "b" has no stop.'],
    ],
    [
      [
        { ...start, next: 'a' },
        { id: 'a', type: 'message', text: 'a', next: 'a' },
      ],
      ['The loop "a" has no stop.'],
    ],
  ])('%j', (nodes, expected) => {
    expect(problems(...nodes)).toEqual(expected);
  });

  it('lets a loop be in which somebody is waited for', () => {
    expect(
      problems(
        { ...start, next: 'a' },
        { id: 'a', type: 'message', text: 'a', next: 'q' },
        { id: 'q', type: 'question', text: 'again?', next: 'a' },
      ),
    ).toEqual([]);
  });

  it('takes no time and no stack for a graph of the largest size', () => {
    const chain = Array.from({ length: 500 }, (_, i) => ({
      id: `n${i}`,
      type: i === 0 ? 'start' : 'condition',
      branches: [],
      next: `n${(i + 1) % 500 || 1}`,
    }));
    const started = performance.now();
    expect(problems(...chain)).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
