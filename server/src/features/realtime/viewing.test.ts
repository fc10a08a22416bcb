import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Viewing } from './viewing.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const GRACE = { uuid: 'grace', name: 'Grace', avatar: null };
const room = { _id: 'r', account: 'a' };

const start = () => {
  let forget: (room: string) => void = () => undefined;
  const told: [second: number, room: string | undefined, state: string][] = [];
  const begun = performance.now();
  const pass = async ({ room: where, data }: { room?: string; data?: object }) => {
    const { is_viewing, is_typing } = data as { is_viewing: boolean; is_typing: boolean };
    const second = Math.round((performance.now() - begun) / 1_000);
    told.push([second, where, is_typing ? 'typing' : is_viewing ? 'viewing' : 'gone']);
  };
  const onForget = (listener: typeof forget) => {
    forget = listener;
  };
  const viewing = new Viewing({ pass, onEntry: () => undefined, onForget }, pino({ level: 'silent' }));
  return { told, viewing, forget: (room: string) => forget(room) };
};

it('says it at once, again while it goes on, and ends by itself', () => {
  const { told, viewing } = start();
  viewing.said('s', GRACE, room, false);
  for (let n = 0; n < 5; n++) {
    vi.advanceTimersByTime(4_000);
    viewing.said('s', GRACE, room, n === 1);
  }
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([
    [0, 'r', 'viewing'],
    [8, 'r', 'typing'],
    [12, 'r', 'viewing'],
    [22, 'r', 'viewing'],
    [50, 'r', 'gone'],
  ]);
});

it('goes on while one of several sockets of a member stays', () => {
  const { told, viewing } = start();
  viewing.said('one', GRACE, room, false);
  viewing.said('two', GRACE, room, false);
  vi.advanceTimersByTime(2_000);
  viewing.gone('one');
  vi.advanceTimersByTime(2_000);
  expect(told).toEqual([[0, 'r', 'viewing']]);
  viewing.gone('two');
  vi.advanceTimersByTime(2_000);
  expect(told.at(-1)).toEqual([4, 'r', 'gone']);
});

it('ends at once in a room that was deleted', () => {
  const { told, viewing, forget } = start();
  viewing.said('s', GRACE, room, false);
  viewing.said('t', GRACE, { _id: 'other', account: 'a' }, false);
  vi.advanceTimersByTime(2_000);
  forget('r');
  vi.advanceTimersByTime(2_000);
  expect(told.slice(2)).toEqual([[2, 'r', 'gone']]);
});

it('leaves a room with the next one', () => {
  const { told, viewing } = start();
  viewing.said('s', GRACE, room, true);
  vi.advanceTimersByTime(2_000);
  viewing.said('s', GRACE, { _id: 'other', account: 'a' }, false);
  vi.advanceTimersByTime(2_000);
  expect(told.map(([, ...rest]) => rest)).toEqual([
    ['r', 'typing'],
    ['other', 'viewing'],
    ['r', 'gone'],
  ]);
});

it('tells a flood of comings and goings once a second at most', () => {
  const { told, viewing } = start();
  for (let n = 0; n < 1_000; n++) {
    if (n % 2 === 0) viewing.said('s', GRACE, room, n % 4 === 0);
    else viewing.gone('s');
    vi.advanceTimersByTime(10);
  }
  vi.advanceTimersByTime(60_000);
  expect(told.length).toBeLessThan(15);
  expect(told.at(-1)?.[2]).toBe('gone');
});
