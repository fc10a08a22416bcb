import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeStorage } from '../platform/fake-storage.ts';
import { openStore } from '../platform/storage.ts';
import { createOutbox, pauseAfter, type Waiting } from './outbox.ts';
import { createQueue, type OutItem } from './queue.ts';
import { Refusal } from './request.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The device's own network. */
const network = { isOnline: true };

/** A queue and its outbox against a server that is a function; what it was sent is in `got`. */
function setUp(serve: (item: OutItem, attempt: number) => unknown = () => undefined, area = fakeStorage()) {
  const got: string[] = [];
  const states: Waiting[] = [];
  let attempt = 0;
  let turn = Promise.resolve();
  const store = openStore('p.', () => area);
  const queue = createQueue(store);
  const { flush, stop } = createOutbox({
    queue,
    async deliver(item) {
      await serve(item, attempt++);
      got.push(item.data.body ?? '');
      return { uuid: `uuid-${item.id}`, sent_at: '' };
    },
    isOnline: () => network.isOnline,
    withLock(task) {
      turn = turn.then(task);
      return turn;
    },
    changed: (waiting) => states.push(waiting),
  });
  const add = (body: string) => {
    const item = queue.add('message', { body });
    flush();
    return item;
  };
  return { outbox: { ...queue, add, flush, stop }, got, states, area };
}

const bodies = ['one', 'two', 'three', 'four', 'five'];

test('sends one after another, in the order written', async () => {
  const { outbox, got } = setUp(() => new Promise((done) => setTimeout(done, 10)));
  for (const body of bodies) outbox.add(body);
  await vi.advanceTimersByTimeAsync(100);
  expect(got).toEqual(bodies);
  expect(outbox.items().every((item) => item.sent)).toBe(true);
});

test('offline, it tries again with growing pauses, and nothing overtakes', async () => {
  let online = false;
  const attempts: number[] = [];
  const { outbox, got, states } = setUp((item) => {
    if (item.data.body === 'one') attempts.push(Date.now());
    if (!online) throw new Refusal(0);
  });
  network.isOnline = false;
  for (const body of bodies) outbox.add(body);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(got).toEqual([]);
  expect(states.at(-1)).toBe('offline');
  network.isOnline = true;
  await vi.advanceTimersByTimeAsync(40_000);
  expect(states.at(-1)).toBe('down');
  const pauses = attempts.slice(1).map((at, index) => at - (attempts[index] as number));
  for (const [index, pause] of pauses.slice(1).entries())
    expect(pause).toBeGreaterThan((pauses[index] as number) * 1.2);
  online = true;
  outbox.flush();
  await vi.advanceTimersByTimeAsync(1);
  expect(got).toEqual(bodies);
});

test('a pause that the server asks for is kept, whatever happens', async () => {
  const { outbox, got, states } = setUp((_, attempt) => {
    if (!attempt) throw new Refusal(429, {}, '30');
  });
  outbox.add('one');
  await vi.advanceTimersByTimeAsync(1);
  expect(states.at(-1)).toBe('limited');
  outbox.flush();
  outbox.add('two');
  await vi.advanceTimersByTimeAsync(29_000);
  expect(got).toEqual([]);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(got).toEqual(['one', 'two']);
});

test('a pause that the server asks for ends in time where the clock is put back', async () => {
  const { outbox, got } = setUp((_, attempt) => {
    if (!attempt) throw new Refusal(503, {}, '2');
  });
  outbox.add('one');
  await vi.advanceTimersByTimeAsync(1);
  vi.setSystemTime(Date.now() - 3 * 3_600_000);
  outbox.flush();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(got).toEqual(['one']);
});

test('a pause of months, as of a wrong clock, is one of an hour', async () => {
  const { outbox, got } = setUp((_, attempt) => {
    if (!attempt) throw new Refusal(503, {}, '3000000');
  });
  outbox.add('one');
  await vi.advanceTimersByTimeAsync(1_000);
  const refused = Date.now();
  await vi.advanceTimersToNextTimerAsync();
  // A longer one than timers take would end at once.
  expect(Date.now() - refused).toBeGreaterThan(3_590_000);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(got).toEqual(['one']);
});

test('what is refused for good says why and lets the next one pass', async () => {
  const { outbox, got } = setUp((item) => {
    if (item.data.body === 'one') throw new Refusal(400, { body: ['Too rude.'] });
  });
  const { id } = outbox.add('one');
  outbox.add('two');
  await vi.advanceTimersByTimeAsync(1);
  expect(got).toEqual(['two']);
  expect(outbox.items().find((item) => item.id === id)?.refused).toEqual({
    reason: 'Too rude.',
    fields: { body: 'Too rude.' },
  });
});

test('what was written later goes out later, though the clock was put back between two pages', async () => {
  const { outbox, area } = setUp(() => new Promise(() => {}));
  outbox.add('one');
  outbox.stop();
  vi.setSystemTime(Date.now() - 3_600_000);
  const { outbox: next, got } = setUp(undefined, area);
  next.add('two');
  next.add('three');
  await vi.advanceTimersByTimeAsync(100);
  expect(got).toEqual(['one', 'two', 'three']);
});

test('a reload goes on with the same ids', async () => {
  const first = setUp(() => new Promise(() => {}));
  const { id } = first.outbox.add('one');
  first.outbox.stop();
  const keys: string[] = [];
  const second = setUp((item) => keys.push(item.id), first.area);
  second.outbox.flush();
  await vi.advanceTimersByTimeAsync(1);
  expect(keys).toEqual([id]);
});

test('what was taken back while it was on its way does not come back', async () => {
  const { outbox } = setUp(() => new Promise((done) => setTimeout(done, 50)));
  const { id } = outbox.add('one');
  await vi.advanceTimersByTimeAsync(1);
  outbox.remove(id);
  await vi.advanceTimersByTimeAsync(100);
  expect(outbox.items()).toEqual([]);
});

test('a stopped queue sends nothing more and keeps everything', async () => {
  const { outbox, got } = setUp(() => {
    throw new Refusal(0);
  });
  outbox.add('one');
  await vi.advanceTimersByTimeAsync(1);
  outbox.stop();
  outbox.flush();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(got).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  expect(outbox.items()).toHaveLength(1);
});

test('pauses double to a minute, spread by a fifth', () => {
  expect([0, 1, 2, 3, 20].map((tries) => pauseAfter(tries, 0.5))).toEqual([
    1_000, 2_000, 4_000, 8_000, 60_000,
  ]);
  expect(pauseAfter(0, 0)).toBe(800);
  expect(pauseAfter(0, 1)).toBeCloseTo(1_200);
});

test.each([
  ['the turn to send is refused', { withLock: () => Promise.reject(new Error('denied')) }],
  ['the turn to send ends without a start', { withLock: async () => {} }],
  ['what became of an item cannot be written down', { note: () => {} }],
])(
  'waits before it tries again when %s',
  async (_case, broken: { withLock?: () => Promise<void>; note?: () => void }) => {
    const area = fakeStorage();
    const store = openStore('p.', () => area);
    const queue = { ...createQueue(store), ...(broken.note && { note: broken.note }) };
    let tries = 0;
    const { flush, stop } = createOutbox({
      queue,
      async deliver() {
        tries++;
        return { uuid: 'uuid', sent_at: '' };
      },
      isOnline: () => true,
      withLock(task) {
        // A promise that goes on for ever would not let this test end.
        if (tries++ > 20) throw new Error('tried without a pause');
        return broken.withLock?.() ?? task();
      },
      changed() {},
    });
    queue.add('message', { body: 'one' });
    flush();
    await vi.advanceTimersByTimeAsync(500);
    expect(tries).toBeLessThanOrEqual(2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tries).toBeGreaterThan(2);
    stop();
  },
);
