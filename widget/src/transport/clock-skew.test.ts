import { expect, test } from 'vitest';
import { clockSkew } from './clock-skew.ts';

const NOW = Date.UTC(2026, 10, 22, 9);
const HOUR = 3_600_000;

test.each([
  ['a clock that is right', NOW, NOW + 40, NOW + 90, 0],
  ['one that is a minute off', NOW + 60_000, NOW, NOW + 60_090, 0],
  ['one an hour ahead', NOW + HOUR, NOW + 40, NOW + HOUR + 90, HOUR - 40],
  ['one an hour behind', NOW - HOUR, NOW + 40, NOW - HOUR + 90, -HOUR + 50],
  ['a right one, where the answer came an hour late', NOW, NOW + 40, NOW + HOUR, 0],
])('%s', (_name, queued, stored, acknowledged, skew) => {
  expect(clockSkew(queued, stored, acknowledged)).toBe(skew);
});
