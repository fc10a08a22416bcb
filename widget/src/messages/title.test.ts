import { afterEach, expect, test, vi } from 'vitest';
import { titleMark } from './title.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('the number of unread messages stands before the title, and goes again', () => {
  const page = { title: 'Lamps' };
  vi.stubGlobal('document', page);
  const mark = titleMark();
  mark(2);
  expect(page.title).toBe('(2) Lamps');
  mark(3);
  expect(page.title).toBe('(3) Lamps');
  mark(0);
  expect(page.title).toBe('Lamps');
});

test('a title that the page has changed meanwhile stays the page’s', () => {
  const page = { title: 'Lamps' };
  vi.stubGlobal('document', page);
  const mark = titleMark();
  mark(2);
  page.title = 'Visit';
  mark(0);
  expect(page.title).toBe('Visit');
});
