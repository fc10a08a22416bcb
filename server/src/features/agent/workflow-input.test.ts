import type { WorkflowNode } from '@parlor/shared';
import { expect, it } from 'vitest';
import { checkPatterns } from './workflow-input.ts';

const nodesWith = (value: string): WorkflowNode[] =>
  [
    { id: 's', type: 'start', greeting: 'Hello', next: 'c' },
    { id: 'c', type: 'condition', branches: [{ operator: 'matches', value, next: 's' }] },
  ] as unknown as WorkflowNode[];

it('has the patterns of one workflow of an account checked at a time, and 100 wait', async () => {
  const gone = new AbortController();
  const check = (account: string, signal?: AbortSignal) =>
    checkPatterns(nodesWith('^order \\d+$'), account, signal);
  const all = Array.from({ length: 100 }, () => check('busy'));
  const left = check('busy', gone.signal);
  await expect(check('busy')).rejects.toMatchObject({ code: 'throttled' });
  gone.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  const next = check('busy');
  await check('another');
  // What has no pattern waits for none.
  await checkPatterns([], 'busy', undefined);
  await expect(checkPatterns(nodesWith('('), 'another', undefined)).rejects.toMatchObject({
    code: 'invalid',
  });
  await Promise.all([...all, next]);
});
