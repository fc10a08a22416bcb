import type { WorkflowNode } from '@parlor/shared';
import { expect, it } from 'vitest';
import { differences, fieldDifferences, isSame, merged } from '../src/workflows/compare.ts';
import { nearest } from '../src/workflows/nearest.ts';

/** What two people have made of one workflow, and the way from node to node by keys. */

const say = (id: string, text: string, next?: string): WorkflowNode => ({
  id,
  type: 'message',
  text,
  ...(next !== undefined && { next }),
});
const draft = (name: string, ...nodes: WorkflowNode[]) => ({ name, nodes });

const base = draft('Base', say('a', '1', 'b'), say('b', '2', 'c'), say('c', '3'));

it('takes what means the same for the same, in any order of fields', () => {
  const node = { next: null, text: '3', type: 'message', id: 'c' } as WorkflowNode;
  expect(isSame(base, draft('Base', ...base.nodes.slice(0, 2), node))).toBe(true);
  expect(isSame(base, draft('Base', ...base.nodes.slice(0, 2)))).toBe(false);
  expect(isSame(base, { ...base, name: 'Other' })).toBe(false);
});

it('puts the changes of both together where no node is disputed', () => {
  const mine = draft('Mine', say('a', '1', 'b'), say('b', 'mine', 'd'), say('d', 'new here'));
  const theirs = draft('Base', say('a', 'theirs', 'b'), ...base.nodes.slice(1), say('e', 'new there'));
  expect(differences(base, mine, theirs)).toEqual([
    { id: 'a', mine: undefined, theirs: 'changed', isDisputed: false },
    { id: 'b', mine: 'changed', theirs: undefined, isDisputed: false },
    { id: 'c', mine: 'removed', theirs: undefined, isDisputed: false },
    { id: 'd', mine: 'added', theirs: undefined, isDisputed: false },
    { id: 'e', mine: undefined, theirs: 'added', isDisputed: false },
  ]);
  expect(merged(base, mine, theirs)).toEqual(
    draft(
      'Mine',
      say('a', 'theirs', 'b'),
      say('b', 'mine', 'd'),
      say('e', 'new there'),
      say('d', 'new here'),
    ),
  );
});

it('tells what is disputed: changed to different ends, or deleted here and changed there', () => {
  const disputed = (mine: typeof base, theirs: typeof base) =>
    differences(base, mine, theirs).flatMap(({ id, isDisputed }) => (isDisputed ? [id] : []));
  const withB = (...b: WorkflowNode[]) => draft('Base', say('a', '1', 'b'), ...b, say('c', '3'));
  expect(disputed(withB(say('b', 'x')), withB(say('b', 'y')))).toEqual(['b']);
  expect(disputed(withB(say('b', 'x')), withB(say('b', 'x')))).toEqual([]);
  expect(disputed(withB(), withB(say('b', 'y')))).toEqual(['b']);
  expect(disputed(withB(), withB())).toEqual([]);
  expect(fieldDifferences(say('b', 'x', 'c'), say('b', 'y'))).toEqual([
    { field: 'text', one: 'x', other: 'y' },
    { field: 'next', one: 'c', other: '' },
  ]);
});

it('goes to what lies nearest in the direction of a key', () => {
  const places = [
    ['left below', { x: -50, y: 100 }],
    ['far below', { x: 0, y: 400 }],
    ['right', { x: 200, y: 10 }],
  ] as const;
  const from = { x: 0, y: 0 };
  expect(nearest(places, from, 'ArrowDown')).toBe('left below');
  expect(nearest(places, from, 'ArrowRight')).toBe('right');
  expect(nearest(places, from, 'ArrowUp')).toBeUndefined();
});
