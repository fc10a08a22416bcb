import { expect, test } from 'vitest';
import { fakeStorage } from './fake-storage.ts';
import { openStore } from './storage.ts';

test('keeps values under its own prefix', () => {
  const area = fakeStorage();
  area.setItem('other', 'x');
  const store = openStore('parlor.t.', () => area);
  store.set('out.1', { a: 1 });
  expect(store.get('out.1')).toEqual({ a: 1 });
  expect(area.getItem('parlor.t.out.1')).toBe('{"a":1}');
  expect(store.keys('')).toEqual(['out.1']);
  store.remove('out.1');
  expect(store.keys('')).toEqual([]);
  expect(area.getItem('other')).toBe('x');
});

test('what a browser refuses to keep stays in memory', () => {
  const store = openStore('p.', () => {
    throw new DOMException('blocked', 'SecurityError');
  });
  store.set('out.1', 'x');
  expect(store.get('out.1')).toBe('x');
  expect(store.keys('out.')).toEqual(['out.1']);
  store.remove('out.1');
  expect(store.get('out.1')).toBeUndefined();
});

test('a full disk loses neither the new value nor the order of old and new', () => {
  const store = openStore('p.', () => fullAfterFirst);
  const fullAfterFirst = fakeStorage(10);
  store.set('a', 'short');
  store.set('a', 'much too long for it');
  expect(store.get('a')).toBe('much too long for it');
  store.set('a', 'short');
  expect(store.get('a')).toBe('short');
});

test('what somebody else wrote there is no reason to fail', () => {
  const area = fakeStorage();
  area.setItem('p.session', '{not json');
  expect(openStore('p.', () => area).get('session')).toBeUndefined();
});
