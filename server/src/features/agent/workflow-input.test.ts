import { EventEmitter } from 'node:events';
import type { WorkflowNode } from '@parlor/shared';
import { expect, it } from 'vitest';
import { checkPatterns } from './workflow-input.ts';

const nodesWith = (value: string): WorkflowNode[] =>
  [
    { id: 's', type: 'start', greeting: 'Hello', next: 'c' },
    { id: 'c', type: 'condition', branches: [{ operator: 'matches', value, next: 's' }] },
  ] as unknown as WorkflowNode[];

const requestOf = (account: string) => {
  const res = new EventEmitter();
  const principal = { kind: 'account', member: { account } };
  return { ctx: { res, state: { principal } } as never, hangUp: () => res.emit('close') };
};

it('has the patterns of one workflow of an account checked at a time, and 100 wait', async () => {
  const check = (account: string, pattern = '^order \\d+$') =>
    checkPatterns(requestOf(account).ctx, nodesWith(pattern));
  const all = Array.from({ length: 100 }, () => check('busy'));
  const { ctx, hangUp } = requestOf('busy');
  const left = checkPatterns(ctx, nodesWith('a'));
  await expect(check('busy')).rejects.toMatchObject({ code: 'throttled' });
  hangUp();
  await expect(left).rejects.toMatchObject({ code: 'malformed' });
  const next = check('busy');
  await check('another');
  // What has no pattern waits for none.
  await checkPatterns(requestOf('busy').ctx, []);
  await expect(check('another', '(')).rejects.toMatchObject({ code: 'invalid' });
  await Promise.all([...all, next]);
});
