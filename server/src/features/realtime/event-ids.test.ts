import { expect, it } from 'vitest';
import { Secrets } from '../../platform/secrets.ts';
import { EventIds } from './event-ids.ts';

const OLD = 'the key before, of more than 32 characters';
const NEW = 'the key after it, of more than 32 characters';
const EPOCH = 'AbCd1234';
const EVENT = '01a21e8b-26d5-7379-aeb4-3fe905ad9cf4';

it('an id is the same on every server, and its place and event are found by either key', () => {
  const [before, between, after] = [new Secrets(OLD), new Secrets(NEW, OLD), new Secrets(NEW)].map(
    (secrets) => new EventIds(secrets),
  ) as [EventIds, EventIds, EventIds];
  for (const place of [0, 1, 2 ** 40, 2 ** 48 - 1]) {
    const id = after.seal(EPOCH, place, EVENT);
    expect(between.seal(EPOCH, place, EVENT)).toBe(id);
    const opened = [after.open(EPOCH, id), between.open(EPOCH, id)];
    opened.push(between.open(EPOCH, before.seal(EPOCH, place, EVENT)));
    for (const one of opened) {
      expect([one?.place, one?.isOf(EVENT), one?.isOf('another'), one?.isOf('')]).toEqual([
        place,
        true,
        false,
        false,
      ]);
    }
    expect(after.open(EPOCH, before.seal(EPOCH, place, EVENT))).toBeUndefined();
  }
});

it('what is no id of this log has no place, whatever its form', () => {
  const ids = new EventIds(new Secrets(NEW));
  const id = ids.seal(EPOCH, 7, EVENT);
  const others = [
    '',
    `${EPOCH}-7`,
    `${id}=`,
    `${id.slice(0, -1)}`,
    `B${id.slice(1)}`,
    'A'.repeat(22),
    '\u0000',
  ];
  for (const other of others) {
    if (other !== id) expect([other, ids.open(EPOCH, other)]).toEqual([other, undefined]);
  }
  expect(ids.open('AbCd1235', id)).toBeUndefined();
});
