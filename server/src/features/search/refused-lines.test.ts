import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { newEvent } from '../../events/events.ts';
import { FreshLines } from './fresh-lines.ts';
import { decodeLines, encodeLines, fittingWords, lengthOf, MAX_WORDS_BYTES } from './lines.ts';
import { partsOf } from './segments.ts';

/** Words that the database refuses keep back nothing else: neither others' words, nor erasures. */

const app = testApp();

/** The driver, as it refuses a document that is too large. */
const refuse = (documents: readonly { lines: string }[]) => {
  if (documents.some(({ lines }) => lines.includes(' toolarge ')))
    throw new RangeError('offset is out of range');
};

beforeEach(() => {
  const { collection } = app.services.models.searchSegments;
  const insertMany = collection.insertMany.bind(collection);
  vi.spyOn(collection, 'insertMany').mockImplementation(async (documents) => {
    refuse(documents as never);
    return insertMany(documents);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

const said = (account: string, room: string, body: string) => {
  const data = {
    uuid: randomUUID() as string,
    body,
    sent_at: new Date().toISOString(),
    room: { uuid: room },
  };
  return newEvent('message.added', account, new Date(), data, { room });
};
const stored = async (word: string) => {
  const found = await app.services.models.searchSegments.find({ lines: { $regex: ` ${word} ` } }).lean();
  return found.flatMap(decodeLines).filter(({ words }) => words.includes(word)).length;
};

it('the words of others are stored, and those of the same account', async () => {
  const [own, other] = [await app.account(), await app.account()];
  const { searchIndex } = app.services;
  for (let n = 0; n < 7; n++)
    await searchIndex.consume([said(own.id, randomUUID(), n === 3 ? 'toolarge' : 'besides')]);
  await searchIndex.consume([said(other.id, randomUUID(), 'elsewhere')]);
  await searchIndex.flush();
  expect([await stored('besides'), await stored('elsewhere'), await stored('toolarge')]).toEqual([6, 1, 0]);
});

it('others erase what they wrote, and events leave their documents', async () => {
  const [own, other] = [await app.account(), await app.account()];
  const { models } = app.services;
  const say = async ({ token }: typeof own, body: string) => {
    const room = (await app.request('POST', '/api/v1/rooms/', { token, body: {} })).json;
    const message = { body, room: { uuid: room.uuid } };
    const { uuid } = (await app.request('POST', '/api/v1/messages/', { token, body: message })).json;
    return { uuid, label: room.label };
  };
  const refused = await say(own, 'toolarge');
  const { label } = await say(other, 'soonerased');
  const remove = await app.request('DELETE', `/api/v1/rooms/${label}/`, { token: other.token });
  expect(remove.status).toBe(204);
  expect(await stored('soonerased')).toBe(0);
  await expect
    .poll(() => models.messages.countDocuments({ _id: refused.uuid, events: { $exists: true } }), {
      timeout: 60_000,
    })
    .toBe(0);
});

it('the log says so once, and names the object', async () => {
  const error = vi.fn();
  const addFresh = vi.fn().mockRejectedValue(new RangeError('too large'));
  const fresh = new FreshLines({ addFresh }, { error } as never);
  const place = { account: 'an account', kind: 'conversation' as const };
  const line = { key: `${'0'.repeat(12)}${'a'.repeat(32)}`, widget: '', subjects: [], words: ['a'] };
  for (let n = 0; n < 2; n++) expect(await fresh.add([{ place, lines: [line] }])).toEqual([]);
  const uuid = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa';
  const text = 'an object is not found by its words: the database refuses them';
  expect(error.mock.calls).toEqual([[{ ...place, uuid, reason: 'too large' }, text]]);
});

it('a line has a bound, and its subjects count', () => {
  const words = Array.from({ length: 20_000 }, (_, n) => `${n}${'语'.repeat(20)}`);
  const fitting = fittingWords(words);
  const bytes = Buffer.byteLength(fitting.join(' '));
  expect(bytes).toBeGreaterThan(MAX_WORDS_BYTES - 200);
  expect(bytes).toBeLessThanOrEqual(MAX_WORDS_BYTES);
  const subjects = Array.from({ length: 5_000 }, () => randomUUID());
  const lines = [0, 1].map((n) => ({ key: `${n}`.repeat(44), widget: '', subjects, words: ['a'] }));
  expect(lengthOf(lines[0] as never)).toBeGreaterThanOrEqual(5_000 * 37);
  expect(partsOf(lines)).toHaveLength(2);
  expect(decodeLines(encodeLines(lines))).toEqual(lines);
});
