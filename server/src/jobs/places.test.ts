import { expect, it } from 'vitest';
import { Places } from './places.ts';

it('tells owners in turn of places that are free, each as often as it may take one', () => {
  const places = new Places({ together: 4, ofOwner: 2 });
  const told: string[] = [];
  const wait = (owner: string, name: string) =>
    places.wait(owner, { name }, () => {
      if (places.take(owner)) told.push(name);
    });
  const owners = ['a', 'a', 'a', 'b', 'b', 'c', 'd'];
  // As many as are left to all: the last one is for whoever has none.
  expect(owners.map((owner) => places.take(owner))).toEqual([true, true, false, true, false, true, false]);
  for (const name of ['a1', 'a2']) wait('a', name);
  wait('b', 'b1');
  places.leave('c');
  expect(told).toEqual([]);
  for (const owner of ['a', 'a', 'b']) places.leave(owner);
  expect(told).toEqual(['a1', 'b1', 'a2']);
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
