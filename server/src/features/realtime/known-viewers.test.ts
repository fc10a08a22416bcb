import { expect, it } from 'vitest';
import type { EventLogEntry } from './event-log.model.ts';
import { KnownViewers } from './known-viewers.ts';

const NOW = Date.parse('2026-11-23T09:00:00Z');
const entry = (room: string): EventLogEntry => ({
  _id: 1,
  event: 'one',
  name: 'viewing',
  account: 'ada',
  room,
  at: new Date(NOW),
  data: { member: { uuid: 'grace', name: 'Grace' }, is_viewing: true, is_typing: false },
});

it.each([
  ['after half a minute', 30_000],
  ['when the clock was put back by an hour', -3_600_000],
])('nobody is there %s who is not heard of any more', (_, later) => {
  const known = new KnownViewers();
  known.hear(entry('one'), NOW);
  expect(known.of('ada', NOW + 29_999)).toHaveLength(1);
  expect(known.of('ada', NOW + later)).toEqual([]);
  known.hear({ ...entry('two'), at: new Date(NOW + later) }, NOW + later);
  known.sweep(NOW + later);
  expect(known.of('ada', NOW).map(({ room }) => room)).not.toContain('one');
});
