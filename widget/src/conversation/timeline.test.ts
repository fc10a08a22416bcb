import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KnownMessage } from '../contract/server.ts';
import { merge, toLines, toRows, waitingLines } from './timeline.ts';

const said = (uuid: string, sent_at: string, more: Partial<KnownMessage> = {}): KnownMessage => ({
  uuid,
  sent_at,
  body: uuid,
  is_support_sender: false,
  ...more,
});

test('messages are ordered by time and uuid, and each is there once, however they come', () => {
  const messages = Array.from({ length: 12 }, (_, index) =>
    said(
      `m${String(index).padStart(2, '0')}`,
      `2026-11-21T09:00:${String(index >> 1).padStart(2, '0')}.000+00:00`,
    ),
  );
  fc.assert(
    fc.property(fc.array(fc.subarray(messages), { maxLength: 8 }), (batches) => {
      const result = batches.reduce<readonly KnownMessage[]>(merge, []);
      const expected = messages.filter((message) => batches.some((batch) => batch.includes(message)));
      expect(result).toEqual(expected);
    }),
  );
});

test('nothing new leaves the list itself', () => {
  const known = [said('a', '1')];
  expect(merge(known, [said('a', '1')])).toBe(known);
});

test('an own message keeps the key that it was queued with', () => {
  const [line] = toLines([said('uuid', '2026-11-21T09:00:00.000+00:00')], new Map([['uuid', 'key']]), '');
  expect(line).toMatchObject({ key: 'key', own: true, state: 'sent' });
});

test('what the other side has read is seen, what came later is not', () => {
  const lines = toLines([said('a', '1'), said('b', '2'), said('c', '3')], new Map(), '2');
  expect(lines.map((line) => line.state)).toEqual(['seen', 'seen', 'sent']);
});

test('what is queued is sending, what was refused has failed and says why', () => {
  const base = { kind: 'message' as const, at: 1, data: { body: 'x' } };
  const lines = waitingLines([
    { ...base, id: '1' },
    { ...base, id: '2', refused: { reason: 'No.', fields: {} } },
    { ...base, id: '3', sent: { uuid: 'u', sent_at: '1' } },
    { ...base, id: '4', kind: 'lead' },
  ]);
  expect(lines.map(({ key, state, reason }) => [key, state, reason])).toEqual([
    ['1', 'sending', undefined],
    ['2', 'failed', 'No.'],
  ]);
});

test('one sender within five minutes of one day stands together', () => {
  const at = (day: number, minute: number) => new Date(2026, 10, day, 12, minute).toISOString();
  const byBo = { is_support_sender: true, nickname: 'Bo' };
  const lines = toLines(
    [
      said('a', at(20, 0)),
      said('b', at(20, 4)),
      said('c', at(20, 30)),
      said('d', at(20, 31), { is_support_sender: true, nickname: 'Ada' }),
      said('e', at(20, 32), byBo),
      said('f', at(21, 0)),
      said('g', at(21, 1), { ...byBo, author: { uuid: 'bo', name: 'Bo', avatar: null } }),
      said('h', at(21, 2), {
        ...byBo,
        author: { uuid: 'another', name: 'Bo', avatar: 'https://a.example/1' },
      }),
      said('i', at(21, 3), {
        ...byBo,
        author: { uuid: 'another', name: 'Bo', avatar: 'https://a.example/1' },
      }),
    ],
    new Map(),
    '',
  );
  const rows = toRows(lines);
  expect(rows.map(({ key, first, last }) => `${key}${first ? 1 : 0}${last ? 1 : 0}`)).toEqual([
    'a10',
    'b01',
    'c11',
    'd11',
    'e11',
    'f11',
    'g11',
    // Of the same name, and somebody else by the picture.
    'h10',
    'i01',
  ]);
  expect(rows.filter((row) => row.day).map((row) => row.key)).toEqual(['a', 'f']);
});
