import { join } from 'node:path';
import { expect, it } from 'vitest';
import { locatedFrom } from './typed-path.ts';

const TYPED_IN = join(import.meta.dirname, 'somewhere', 'else');
const byNpm = { npm_lifecycle_event: 'parlor', INIT_CWD: TYPED_IN };

it('paths are meant where they were typed, whatever folder npm has changed to', () => {
  expect(locatedFrom(1)(['ada', 'ada.jsonl'], byNpm)).toEqual(['ada', join(TYPED_IN, 'ada.jsonl')]);
  expect(locatedFrom(0)(['../monday'], byNpm)).toEqual([join(TYPED_IN, '..', 'monday')]);
  expect(locatedFrom(0)([TYPED_IN], byNpm)).toEqual([TYPED_IN]);
});

it('without npm, or of another of its scripts, they are meant in the folder of the process', () => {
  const here = [join(process.cwd(), 'ada.jsonl')];
  expect(locatedFrom(0)(['ada.jsonl'], {})).toEqual(here);
  expect(locatedFrom(0)(['ada.jsonl'], { ...byNpm, npm_lifecycle_event: 'test' })).toEqual(here);
  expect(locatedFrom(0)(['ada.jsonl'], { npm_lifecycle_event: 'parlor' })).toEqual(here);
});

it('what is refused stays as it is', () => {
  expect(locatedFrom(0)(['', '--yes'], byNpm)).toEqual(['', '--yes']);
});

it('behind "--" a path may begin with "-", too', () => {
  expect(locatedFrom(1)(['--', '-bob', '-b'], byNpm)).toEqual(['--', '-bob', join(TYPED_IN, '-b')]);
  expect(locatedFrom(0)(['--', '--'], byNpm)).toEqual(['--', join(TYPED_IN, '--')]);
});
