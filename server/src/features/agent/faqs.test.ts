import type { NodeOf } from '@parlor/shared';
import { expect, it } from 'vitest';
import { collectGarbage } from '../../../test/collect-garbage.ts';
import { CpuBudget, OWN_WORK } from '../../platform/cpu-budget.ts';
import { Faq } from './faq/faq.ts';
import { Faqs } from './faqs.ts';

const ENTRIES = 100;
const QUESTIONS = 50;

/** Questions of one character each take the most beside what they say. */
const entriesFrom = (first: number) =>
  Array.from({ length: ENTRIES }, (_, n) => ({
    questions: Array.from({ length: QUESTIONS }, (_, q) =>
      String.fromCodePoint(0x4e00 + ((first + n * QUESTIONS + q) % 20_000)),
    ),
    answer: `Answer ${n}`,
  }));

const nodeOf = (id: string, first: number): NodeOf<'faq'> =>
  ({ id, type: 'faq', entries: entriesFrom(first) }) as unknown as NodeOf<'faq'>;

const own = () => new CpuBudget(OWN_WORK);

const heapUsed = async (): Promise<number> => {
  await collectGarbage();
  return process.memoryUsage().heapUsed;
};

it('says about what entries take in memory', async () => {
  const before = await heapUsed();
  const made = await Faq.from(entriesFrom(0), own());
  const taken = (await heapUsed()) - before;
  expect(made.bytes / taken).toBeGreaterThan(0.8);
  expect(made.bytes / taken).toBeLessThan(2);
});

it('keeps as many entries ready as there is room for, and answers from all', async () => {
  const { bytes } = await Faq.from(entriesFrom(0), own());
  const faqs = new Faqs(Math.ceil(2.5 * bytes));
  const made: WeakRef<Faq>[] = [];
  const ask = (id: number) =>
    faqs.use(nodeOf('f', id * 10), `graph ${id}`, 'account', async (faq) => {
      made.push(new WeakRef(faq));
      return faq.answer(String.fromCodePoint(0x4e00 + id * 10), 0.5, own());
    });
  for (let id = 0; id < 8; id++) expect(await ask(id)).toBe('Answer 0');
  await heapUsed();
  const alive = made.map((one) => one.deref() !== undefined);
  expect(alive).toEqual([false, false, false, false, false, false, true, true]);
  // Those that are kept are not made anew.
  expect(await ask(7)).toBe('Answer 0');
  expect(made[8]?.deref()).toBe(made[7]?.deref());
});

it('takes a node without entries for one that answers nothing', async () => {
  const node = { id: 'f', type: 'faq', entries: [] } as unknown as NodeOf<'faq'>;
  const answer = new Faqs().use(node, 'graph f', 'account', (faq) =>
    faq.answer('Do you deliver?', 0.5, own()),
  );
  expect(await answer).toBeUndefined();
});

it('has one node of an account in use at a time, and four of all', async () => {
  const faqs = new Faqs();
  let [running, most] = [0, 0];
  let goOn = (): void => undefined;
  const isFree = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const used: string[] = [];
  const use = (account: string, id: string) =>
    faqs.use(nodeOf(id, 0), undefined, account, async () => {
      most = Math.max(most, ++running);
      used.push(account);
      await isFree;
      running--;
    });
  const all = ['a', 'a', 'a', 'b', 'c', 'd', 'e'].map((account, n) => use(account, String(n)));
  await expect.poll(() => running).toBe(4);
  expect(used.toSorted()).toEqual(['a', 'b', 'c', 'd']);
  goOn();
  await Promise.all(all);
  expect([most, used.length]).toEqual([4, 7]);
});
