import { describe, expect, it } from 'vitest';
import { MAX_BRANCHES, MAX_FAQ_ENTRIES, MAX_ISSUES, MAX_NODES } from './limits.ts';
import { workflowNodes } from './workflow-node.ts';

const issuesOf = (nodes: unknown) => workflowNodes().safeParse(nodes).error?.issues ?? [];

const many = <T>(count: number, one: T): T[] => Array(count).fill(one);

const branch = { variable: 1, operator: 1, value: 1, next: 1 };

describe('nodes of a workflow', () => {
  it.each<[string, unknown]>([
    ['nodes', many(MAX_NODES, { type: 'condition', branches: many(9, branch) })],
    ['branches of one', many(MAX_NODES, { id: 'a', type: 'condition', branches: many(MAX_BRANCHES, {}) })],
    ['entries', [{ id: 'a', type: 'faq', entries: many(MAX_FAQ_ENTRIES, { questions: many(50, 1) }) }]],
    ['none of any type', many(MAX_NODES, {})],
  ])('are looked at until as many mistakes are found as are told: %s', (_, nodes) => {
    const { length } = issuesOf(nodes);
    expect(length).toBeGreaterThanOrEqual(MAX_ISSUES);
    expect(length).toBeLessThan(2 * MAX_ISSUES);
  });

  it('are all looked at where there are fewer, in their order', () => {
    const nodes = [
      { id: 'a', type: 'condition', branches: [{ variable: 'a', operator: 'weird', next: 1 }, branch] },
      null,
      { id: 'c', type: 'end', text: 1 },
      { id: 'd', type: 'faq', entries: [{ questions: [] }] },
    ];
    expect(issuesOf(nodes).map(({ path }) => path.join('.'))).toEqual([
      ...['0.branches.0.operator', '0.branches.0.next'],
      ...['0.branches.1.variable', '0.branches.1.operator', '0.branches.1.next'],
      ...['1', '2.text', '3.entries.0.questions', '3.entries.0.answer'],
    ]);
    const whole = [{ id: 'a', type: 'question', text: 'a', choices: ['b'], next: 'a', extra: 1 }];
    expect(workflowNodes().parse(whole)).toEqual([
      { id: 'a', type: 'question', text: 'a', choices: ['b'], next: 'a' },
    ]);
    expect(issuesOf([...whole, ...whole]).map(({ message }) => message)).toEqual([
      'The id of a node must be unique.',
    ]);
  });
});
