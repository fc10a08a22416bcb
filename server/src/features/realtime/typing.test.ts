import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Typing } from './typing.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const typist = { room: { _id: 'r', account: 'a' }, origin: 'o', sender: 'visitor' as const, nickname: '' };

const start = () => {
  const told: [second: number, isTyping: boolean][] = [];
  const begun = performance.now();
  const pass = async ({ data }: { data?: object }) => {
    told.push([
      Math.round((performance.now() - begun) / 100) / 10,
      (data as { is_typing: boolean }).is_typing,
    ]);
  };
  return { told, typing: new Typing({ pass }, pino({ level: 'silent' })) };
};

it('says it at once, again while it goes on, and ends by itself', () => {
  const { told, typing } = start();
  for (let second = 0; second < 9; second += 3) {
    typing.said(typist, true);
    vi.advanceTimersByTime(3_000);
  }
  vi.advanceTimersByTime(20_000);
  expect(told).toEqual([
    [0, true],
    [3.3, true],
    [6.3, true],
    [12.3, false],
  ]);
});

it('tells a flood of starts and stops once a second at most', () => {
  const { told, typing } = start();
  for (let i = 0; i < 1_000; i++) {
    typing.said(typist, i % 2 === 0);
    vi.advanceTimersByTime(10);
  }
  vi.advanceTimersByTime(10_000);
  expect(told.length).toBeLessThan(15);
  expect(told.at(-1)?.[1]).toBe(false);
});

it('tells of a visitor at many sockets as of one', () => {
  const { told, typing } = start();
  for (let i = 0; i < 1_000; i++) {
    typing.said({ ...typist, origin: `o${i % 60}` }, i % 7 < 4);
    vi.advanceTimersByTime(10);
  }
  vi.advanceTimersByTime(10_000);
  expect(told.length).toBeLessThan(15);
  expect(told.at(-1)?.[1]).toBe(false);
});

it('ends when the connection goes', () => {
  const { told, typing } = start();
  typing.said(typist, true);
  typing.gone('o');
  vi.advanceTimersByTime(1_500);
  expect(told.map(([, isTyping]) => isTyping)).toEqual([true, false]);
});
