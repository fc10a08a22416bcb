import { expect, test } from 'vitest';
import { Refusal, waitOf } from './request.ts';

test.each([
  ['7', 7_000],
  ['0', 0],
  [null, 0],
  ['', 0],
  ['soon', 0],
  ['Sat, 21 Nov 2026 09:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 08:00:00 GMT', 0],
])('Retry-After %j waits %i ms', (header, expected) => {
  expect(waitOf(header, Date.parse('2026-11-21T09:00:00Z'))).toBe(expected);
});

test.each([0, 408, 409, 425, 429, 500, 502, 503, 504])('%i may pass', (status) => {
  expect(new Refusal(status).passing).toBe(true);
});
test.each([400, 401, 403, 404, 413, 415, 422])('%i is for good', (status) => {
  expect(new Refusal(status).passing).toBe(false);
});

test('the reason is the first of what the server says, each field has its own', () => {
  expect(new Refusal(403, { detail: 'Not here.' }).message).toBe('Not here.');
  const refusal = new Refusal(400, { email: ['Enter a valid email address.', 'x'], body: ['Too long.'] });
  expect(refusal.message).toBe('Enter a valid email address.');
  expect(refusal.fields).toEqual({ email: 'Enter a valid email address.', body: 'Too long.' });
  expect(new Refusal(0).message).toBe('');
  expect(new Refusal(500, 'a page').message).toBeTypeOf('string');
});
