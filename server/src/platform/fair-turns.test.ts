import { expect, it } from 'vitest';
import { FairTurns } from './fair-turns.ts';

/** Tasks that end when they are told, and the names of those that have begun, in their order. */
const held = (turns: FairTurns) => {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, gone?: AbortSignal) =>
    turns.run(
      name.charAt(0),
      () => {
        begun.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      },
      gone,
    );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string) => {
    await settled();
    ends.get(name)?.();
    await settled();
  };
  return { begun, ask, end, settled };
};

it('has those with something waiting take turns, in the order in which they came', async () => {
  const { begun, ask, end, settled } = held(new FairTurns({ running: 2, runningOfOne: 2, waitingOfOne: 10 }));
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map((name) => ask(name));
  await settled();
  expect(begun).toEqual(['a1', 'a2']);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2']) await end(name);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2']);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']);
});

it('leaves room for others while one has many, and refuses what is too many to wait', async () => {
  const { begun, ask, end, settled } = held(new FairTurns({ running: 3, runningOfOne: 2, waitingOfOne: 1 }));
  const own = ['a1', 'a2', 'a3'].map((name) => ask(name));
  await expect(ask('a4')).rejects.toMatchObject({ code: 'throttled', headers: { 'Retry-After': '5' } });
  const other = ask('b1');
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  for (const name of ['b1', 'a1', 'a2', 'a3']) await end(name);
  expect(await Promise.all([...own, other])).toEqual(['a1', 'a2', 'a3', 'b1']);
});

it('keeps the order of thousands, with and without a limit for all together', async () => {
  const all = Array.from({ length: 3_000 }, (_, who) => who);
  // Those that begin at once come before all that have come after them.
  const [first, rest] = [all.slice(0, 3), all.slice(3)];
  const orders = new Map([
    [3, [...first, ...first, ...rest, ...rest]],
    [Number.POSITIVE_INFINITY, [...all, ...all]],
  ]);
  for (const [running, order] of orders) {
    const turns = new FairTurns({ running, runningOfOne: 1, waitingOfOne: 2 });
    const begun: number[] = [];
    const task = (who: number) => async () => {
      begun.push(who);
      await new Promise((resolve) => setImmediate(resolve));
    };
    await Promise.all([...all, ...all].map((who) => turns.run(String(who), task(who))));
    expect(begun).toEqual(order);
  }
});

it('goes on after a failure', async () => {
  const turns = new FairTurns({ running: 1, runningOfOne: 1, waitingOfOne: 1 });
  const failing = turns.run('a', () => Promise.reject(new Error('broken')));
  const next = turns.run('a', async () => 'well');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('well');
});

it('refuses all that wait where a task failed with what they would fail with, too', async () => {
  const away = new Error('away');
  const turns = new FairTurns({ running: 1, runningOfOne: 1, waitingOfOne: 2 }, (error) => error === away);
  const ran: string[] = [];
  const task = (name: string, error?: Error) => async () => {
    ran.push(name);
    await new Promise((resolve) => setImmediate(resolve));
    if (error) throw error;
    return name;
  };
  const asked = [
    turns.run('a', task('a1', new Error('broken'))),
    turns.run('a', task('a2', away)),
    turns.run('a', task('a3')),
    turns.run('b', task('b1', away)),
    turns.run('b', task('b2')),
  ];
  const results = await Promise.allSettled(asked);
  expect(results.map((result) => result.status === 'rejected' && result.reason.message)).toEqual([
    'broken',
    'away',
    'away',
    'away',
    'away',
  ]);
  // Whose turn it was before is not asked again.
  expect(ran).toEqual(['a1', 'a2']);
  expect(await turns.run('a', task('a4'))).toBe('a4');
});

it('does not run what nobody waits for any more, and has room for others instead', async () => {
  const { begun, ask, end, settled } = held(new FairTurns({ running: 1, runningOfOne: 1, waitingOfOne: 2 }));
  const gone = new AbortController();
  const first = ask('a1', gone.signal);
  const left = expect(ask('a2', gone.signal)).rejects.toThrow('hung up');
  const next = ask('a3');
  await expect(ask('a4')).rejects.toMatchObject({ code: 'throttled' });
  gone.abort(new Error('hung up'));
  await left;
  await expect(ask('b1', gone.signal)).rejects.toThrow('hung up');
  const last = ask('a5');
  for (const name of ['a1', 'a3', 'a5']) await end(name);
  await settled();
  expect(begun).toEqual(['a1', 'a3', 'a5']);
  // What has begun is carried through.
  expect(await Promise.all([first, next, last])).toEqual(['a1', 'a3', 'a5']);
});
