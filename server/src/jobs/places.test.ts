import { expect, it } from 'vitest';
import { Places } from './places.ts';

it('tells owners in turn of places that are free, each as often as it may take one', () => {
  const places = new Places({ together: 3, ofOwner: 2 });
  const told: string[] = [];
  const wait = (owner: string, name: string) =>
    places.wait(owner, { name }, () => {
      if (places.take(owner)) told.push(name);
    });
  expect(['a', 'a', 'a', 'b', 'b'].map((owner) => places.take(owner))).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
  for (const name of ['a1', 'a2']) wait('a', name);
  wait('b', 'b1');
  places.leave('b');
  // The other one has as many as it may.
  expect(told).toEqual(['b1']);
  places.leave('a');
  places.leave('a');
  expect(told).toEqual(['b1', 'a1', 'a2']);
});

it('keeps whoever waits while nothing may begin', () => {
  let mayBegin = true;
  const places = new Places({ together: 1, ofOwner: 1 }, () => mayBegin);
  const told: string[] = [];
  expect(places.take('a')).toBe(true);
  places.wait('b', {}, () => told.push('b'));
  mayBegin = false;
  places.leave('a');
  expect(told).toEqual([]);
  mayBegin = true;
  places.tell();
  expect(told).toEqual(['b']);
});
