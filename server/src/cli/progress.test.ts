import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createProgress } from './progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What is written while `states` are shown, 100 ms apart. */
const shown = (isTTY: boolean, states: number): string[] => {
  const written: string[] = [];
  const progress = createProgress({
    isTTY,
    write: (text: string | Uint8Array) => written.push(String(text)) > 0,
  });
  for (let n = 1; n <= states; n++) {
    vi.advanceTimersByTime(100);
    progress.show(`copying rooms: ${n}`);
  }
  progress.end();
  return written;
};

it('changes one line of a terminal five times a second, from the first second on', () => {
  expect(shown(true, 9)).toEqual([]);
  const line = (n: number) => `\r\u001b[Kcopying rooms: ${n} …`;
  expect(shown(true, 15)).toEqual([line(10), line(12), line(14), '\r\u001b[K']);
});

it('leaves a line in a log every thirty seconds', () => {
  expect(shown(false, 299)).toEqual([]);
  expect(shown(false, 650)).toEqual(['copying rooms: 300 …\n', 'copying rooms: 600 …\n']);
});
