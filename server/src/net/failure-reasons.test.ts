import { describe, expect, it } from 'vitest';
import { reasonOf } from './failure-reasons.ts';

describe('the reason of a failure', () => {
  it.each<[string, unknown, string]>([
    ['a system call', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'connection refused'],
    [
      'several addresses',
      new AggregateError([Object.assign(new Error('x'), { code: 'ENETUNREACH' })]),
      'network unreachable',
    ],
    ['no address at all', new AggregateError([], 'none'), 'none'],
    ['the Web Cryptography API', new DOMException('bad key', 'DataError'), 'bad key'],
    ['a time-out of an AbortSignal', new DOMException('too late', 'TimeoutError'), 'too late'],
    ['a code that every object inherits', Object.assign(new Error('odd'), { code: 'constructor' }), 'odd'],
    ['several lines', new Error('first\nsecond'), 'first'],
    ['a long text', new Error('x'.repeat(1_000)), 'x'.repeat(200)],
    ['a text that is none', { message: { text: 1 } }, 'failed'],
    ['a text', 'thrown', 'failed'],
    ['nothing', undefined, 'failed'],
    ['null', null, 'failed'],
  ])('%s', (_, error, reason) => expect(reasonOf(error)).toBe(reason));
});
