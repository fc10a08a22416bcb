import { expect, test } from 'vitest';
import { dayName } from './day.ts';

const texts = { today: 'Today', yesterday: 'Yesterday' };
const now = new Date(2026, 10, 21, 0, 5).getTime();

test.each([
  [new Date(2026, 10, 21, 0, 1), 'Today'],
  [new Date(2026, 10, 20, 23, 59), 'Yesterday'],
  [new Date(2026, 10, 12, 9), 'Thursday, November 12'],
  [new Date(2024, 1, 29, 9), 'Thursday, February 29, 2024'],
])('%s is %s', (date, name) => {
  expect(dayName(date.getTime(), now, 'en', texts)).toBe(name);
});

test('a date is written in the visitor’s language', () => {
  expect(dayName(new Date(2026, 10, 12).getTime(), now, 'de', texts)).toBe('Donnerstag, 12. November');
});
