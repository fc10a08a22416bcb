import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { CpuBudget } from '../../platform/cpu-budget.ts';
import { candidatesOf, MAX_SEGMENTS } from './candidates.ts';
import { decodeLines, type Line, lineKey } from './lines.ts';
import { Sealing } from './sealing.ts';
import { type SegmentPlace, Segments } from './segments.ts';

/** What comes between the steps of sealing. */

const app = testApp();
const [ada, grace] = [randomUUID(), randomUUID()];

const lineOf = (subject: string, n: number, words: string[]): Line => ({
  key: lineKey(new Date(1_700_000_000_000 + n), randomUUID()),
  widget: '',
  subjects: [subject],
  words,
});
const stored = async ({ account }: SegmentPlace) => {
  const segments = await app.services.models.searchSegments.find({ account }).lean();
  return segments.flatMap(decodeLines).map(({ words }) => words.join());
};
const place = (): SegmentPlace => ({ account: randomUUID(), kind: 'message' });
const leases = {
  keep: async () => ({
    renew: async () => undefined,
    check: () => undefined,
    giveBack: async () => undefined,
  }),
};

type Step = 'addSealed' | 'replace' | 'deleteUnchanged';

/** Does something when a step is about to be made for the first time. */
const before = (step: Step, what: (segments: Segments) => Promise<unknown>) => {
  const segments = new Segments(app.services.models.searchSegments);
  let isDone = false;
  const original = segments[step].bind(segments) as (...args: unknown[]) => Promise<unknown>;
  Object.assign(segments, {
    [step]: async (...args: unknown[]) => {
      if (!isDone) {
        isDone = true;
        await what(new Segments(app.services.models.searchSegments));
      }
      return original(...args);
    },
  });
  return segments;
};

/** Erases what is about Ada when a step is about to be made. */
const erasing = (step: Step) => before(step, (segments) => segments.removeOf(ada, () => true));

it.each(['addSealed', 'deleteUnchanged'] as const)(
  'what is erased before %s is in no segment afterwards, and the rest is',
  async (step) => {
    const where = place();
    const segments = erasing(step);
    const addFresh = (lines: Line[]) => segments.addFresh([{ place: where, lines }]);
    await addFresh([lineOf(ada, 1, ['ada']), lineOf(grace, 2, ['grace'])]);
    await addFresh([lineOf(grace, 3, ['hopper'])]);
    await addFresh([lineOf(ada, 4, ['lovelace'])]);
    const sealing = new Sealing(segments, leases);
    await sealing.seal(where);
    expect(new Set(await stored(where))).toEqual(new Set(['grace', 'hopper']));
    // What was left of a segment that changed waits for the next time.
    await sealing.seal(where);
    expect((await stored(where)).sort()).toEqual(['grace', 'hopper']);
  },
);

it('a segment that is changed while lines are put into it is read again', async () => {
  const where = place();
  const plain = new Segments(app.services.models.searchSegments);
  await new Sealing(plain, leases).add(where, [lineOf(ada, 1, ['ada']), lineOf(grace, 2, ['grace'])]);
  const more = Array.from({ length: 1_200 }, (_, n) => lineOf(grace, 10 + n, [`word${n}`]));
  await new Sealing(erasing('replace'), leases).add(where, more);
  const words = await stored(where);
  expect(words).toHaveLength(1_201);
  expect(new Set(words).size).toBe(1_201);
  expect(words).not.toContain('ada');
});

it.each(['replace', 'deleteUnchanged'] as const)(
  'what another process seals before %s, while this one stood still for long, stays where it is',
  async (step) => {
    const where = place();
    const plain = new Segments(app.services.models.searchSegments);
    await new Sealing(plain, leases).add(where, [lineOf(ada, 1, ['ada'])]);
    const fresh = Array.from({ length: 1_200 }, (_, n) => lineOf(grace, 10 + n, [`word${n}`]));
    await plain.addFresh([{ place: where, lines: fresh }]);
    const late = lineOf(grace, 5_000, ['late']);
    const standing = before(step, async (segments) => {
      await segments.addFresh([{ place: where, lines: [late] }]);
      await new Sealing(segments, leases).seal(where);
    });
    await new Sealing(standing, leases).seal(where);
    const words = new Set(await stored(where));
    expect(words).toEqual(new Set(['ada', 'late', ...fresh.flatMap((line) => line.words)]));
  },
);

it('what is left of a subject at a deadline goes with the next round', async () => {
  const where = place();
  const segments = before('addSealed', async () => undefined);
  await segments.addFresh([{ place: where, lines: [lineOf(ada, 1, ['ada'])] }]);
  await segments.removeOf(ada, () => true, { deadline: performance.now() - 1 });
  expect(await stored(where)).toEqual(['ada']);
  await segments.removeOf(ada, () => true);
  expect(await stored(where)).toEqual([]);
});

it('a line that was erased while it was united with another of its object is in no segment', async () => {
  const where = place();
  const line = lineOf(ada, 1, ['before']);
  const segments = erasing('addSealed');
  await segments.addFresh([{ place: where, lines: [{ ...line, subjects: [grace] }] }]);
  await segments.addFresh([{ place: where, lines: [line] }]);
  await new Sealing(segments, leases).seal(where);
  await new Sealing(segments, leases).seal(where);
  expect(await stored(where)).not.toContain('before');
});

it('an object that is sealed twice is there once, with its newest words', async () => {
  const where = place();
  const segments = new Segments(app.services.models.searchSegments);
  const sealing = new Sealing(segments, leases);
  const line = lineOf(ada, 1, ['before']);
  await segments.addFresh([{ place: where, lines: [line] }]);
  await sealing.seal(where);
  await segments.addFresh([{ place: where, lines: [{ ...line, words: ['after'] }] }]);
  await sealing.seal(where);
  expect(await stored(where)).toEqual(['after']);
});

it('an object is found once, also where sealing died in between', async () => {
  const where = place();
  const segments = new Segments(app.services.models.searchSegments);
  const lines = Array.from({ length: 1_100 }, (_, n) => lineOf(grace, 2 * n, ['grace']));
  await new Sealing(segments, leases).add(where, lines);
  const dying = new Segments(app.services.models.searchSegments);
  dying.replace = async () => {
    throw new Error('killed');
  };
  const between = [501, 503, 505].map((n) => lineOf(grace, n, ['grace']));
  await segments.addFresh([{ place: where, lines: between }]);
  await expect(new Sealing(dying, leases).seal(where)).rejects.toThrow('killed');
  for (const isSealed of [false, true]) {
    if (isSealed) await new Sealing(segments, leases).seal(where);
    const terms = [{ text: 'grace', isPrefix: false }];
    const found: string[] = [];
    for await (const { key } of candidatesOf(
      segments,
      where,
      { terms, before: undefined },
      new CpuBudget(where.account),
    )) {
      if (key !== found.at(-1)) found.push(key);
    }
    const wanted = [...lines, ...between]
      .map(({ key }) => key)
      .sort()
      .reverse();
    expect(found).toEqual(wanted);
  }
});

it('what is fresh is found before the place behind which the next page goes on', async () => {
  const where = place();
  const segments = new Segments(app.services.models.searchSegments);
  // No object has both words, and each segment has one of them.
  for (let n = 0; n < MAX_SEGMENTS + 1; n++) {
    await segments.addSealed(where, [[lineOf(grace, n, [n % 2 === 0 ? 'alpha' : 'betas'])]]);
  }
  const both = lineOf(grace, 100, ['alpha', 'betas']);
  await segments.addFresh([{ place: where, lines: [both] }]);
  const terms = ['alpha', 'betas'].map((text) => ({ text, isPrefix: false }));
  const found: unknown[] = [];
  for await (const one of candidatesOf(
    segments,
    where,
    { terms, before: undefined },
    new CpuBudget(where.account),
  ))
    found.push(one);
  expect(found).toMatchObject([{ key: both.key }, { isEnd: true }]);
});

it('lines of one object that have no room together are as the last one, and small ones are united', async () => {
  const where = place();
  const { searchSegments } = app.services.models;
  const segments = new Segments(searchSegments);
  const [many, few] = [lineOf(ada, 1, []), lineOf(ada, 2, [])];
  const subjects = () => [ada, ...Array.from({ length: 5_000 }, () => randomUUID())];
  const add = async (line: Line, ago: number) => {
    await segments.addFresh([{ place: where, lines: [line] }]);
    // When each was written is set here: both may fall into one millisecond.
    const last = { account: where.account, made_at: { $gt: new Date(Date.now() - 5_000_000) } };
    await searchSegments.updateOne(last, { $set: { made_at: new Date(Date.now() - 10_000_000 - ago) } });
  };
  await add({ ...many, subjects: subjects(), words: ['later'] }, 1_000);
  await add({ ...many, subjects: subjects(), words: ['earlier'] }, 2_000);
  await add({ ...few, words: ['one'] }, 1_000);
  await add({ ...few, words: ['two'] }, 2_000);
  await new Sealing(segments, leases).seal(where);
  expect((await stored(where)).sort()).toEqual(['later', 'two,one']);
});

it('taking out what is about one reads on where nothing goes, and tells of nobody’s words', async () => {
  const eve = randomUUID();
  const segments = new Segments(app.services.models.searchSegments);
  const [messages, notes] = [place(), { account: randomUUID(), kind: 'note' as const }];
  // More than are read at once, of which the last alone has one that goes.
  for (let n = 0; n < 45; n++)
    await segments.addFresh([{ place: messages, lines: [lineOf(eve, n, ['kept'])] }]);
  const own = lineOf(eve, 100, ['secret']);
  const shared = { ...own, subjects: [eve, grace] };
  await segments.addFresh([{ place: messages, lines: [shared, lineOf(grace, 101, ['hopper'])] }]);
  await segments.addFresh([{ place: notes, lines: [own] }]);
  const isOwn = ({ key }: Line) => key === own.key;
  expect(await segments.removeOf(eve, isOwn, { kind: 'message' })).toEqual([{ ...messages, key: own.key }]);
  expect([(await stored(messages)).includes('secret'), await stored(notes)]).toEqual([false, ['secret']]);
  expect(await segments.removeOf(eve, () => true)).toEqual([]);
  expect([await stored(messages), await stored(notes)]).toEqual([['hopper'], []]);
});
