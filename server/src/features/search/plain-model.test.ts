import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { chooser } from '../../../test/hostile-texts.ts';
import { fold, isBoundary } from '../../platform/folding.ts';

/** What is found is what looking at every text finds, whatever the index does: random texts of many scripts. */

const app = testApp();
const SEED = Number(process.env.SEARCH_SEED ?? 1);

/** Words that are alike, in different scripts, and what stands between them. */
const WORDS = [
  ...['deliver', 'Delivery', 'delivered', 'DELI', 'de', 'd', 'order', 'order17', 'order1', '17', '170'],
  ...['Çeşme', 'cesme', 'cesmeler', 'Straße', 'strasse', 'İstanbul', 'istanbul', 'e\u0301te\u0301', 'été'],
  ...['доставка', 'Доставку', 'דואר', 'דואר אלקטרוני', 'توصيل', 'تَوْصيل', 'παράδοση', 'παραδοση'],
  ...[
    '京都',
    '東京都',
    '東京',
    '京',
    '配送',
    'ケース',
    'ひらがな',
    'การส่ง',
    'ส่ง',
    '𠮷野家',
    '한국어',
    '한국',
  ],
  ...['👍', '👍🏽', '👩‍👩‍👧', '☎️', '½', 'ﷺ', 'ﬃ', '<script>alert(1)</script>', 'ada@example.com', 'a_b'],
];
const BETWEEN = [' ', ' ', ' ', '', '-', ', ', '\n', '。', '\u00a0', '\u200f'];

const { pick, below } = chooser(SEED);
const text = () =>
  Array.from({ length: 1 + below(6) }, () => pick(WORDS) + pick(BETWEEN))
    .join('')
    .trim() || 'x';

const UNSPACED = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{sc=Thai}]$/u;

/** The words of a query, as whoever reads the contract would say. */
const wordsOf = (q: string): string[] => {
  const words: string[] = [];
  let isOpen = false;
  let before = '';
  for (const letter of fold(q)) {
    if (UNSPACED.test(letter)) {
      // Pairs of neighbours.
      if (UNSPACED.test(before)) {
        if ([...(words.at(-1) ?? '')].length === 1) words.pop();
        words.push(before + letter);
      } else words.push(letter);
      isOpen = false;
    } else if (/[\p{L}\p{N}\p{M}]/u.test(letter)) {
      if (isOpen) words.push((words.pop() ?? '') + letter);
      else words.push(letter);
      isOpen = true;
    } else {
      if (/\p{Extended_Pictographic}/u.test(letter)) words.push(letter);
      isOpen = false;
    }
    before = letter;
  }
  return words;
};

const holds = (folded: string, word: string, isPrefix: boolean): boolean => {
  for (let at = folded.indexOf(word); at !== -1; at = folded.indexOf(word, at + 1)) {
    if (isBoundary(folded, at) && (isPrefix || isBoundary(folded, at + word.length))) return true;
  }
  return false;
};
const isFound = (body: string, words: readonly string[]): boolean =>
  words.every((word, index) => holds(fold(body), word, index === words.length - 1));

it(`finds what looking at every text finds (seed ${SEED})`, { timeout: 300_000 }, async () => {
  const { token, id } = await app.account();
  const room = (await app.request('POST', '/api/v1/rooms/', { token, body: { label: 'zzz' } })).json.uuid;
  const { models, earlierObjects } = app.services;
  const stored: { _id: string; body: string; sent_at: Date }[] = [];
  const add = async (count: number, at: (n: number) => number) => {
    const made = Array.from({ length: count }, (_, n) => ({
      _id: randomUUID() as string,
      account: id,
      room,
      widget: '',
      ...{ nickname: '', email: '', phone_number: '', is_support_sender: true, is_bot: false },
      body: text().normalize('NFC'),
      sent_at: new Date(at(n)),
    }));
    await models.messages.collection.insertMany(made as never[]);
    stored.push(...made);
  };
  const index = async () => {
    await earlierObjects.request(id);
    await earlierObjects.sweep();
  };
  const begun = Date.now() - 100_000_000;
  await add(2_300, (n) => begun + n * 1_000);
  await index();
  // In between, at the very same moments, and before all: sealed segments are opened and cut.
  await add(700, () => begun + below(2_300) * 1_000);
  await add(30, (n) => begun - n);
  await index();
  expect(await models.searchSegments.countDocuments({ account: id, kind: 'message' })).toBeGreaterThan(3);
  // And some that come by the relay and wait to be sealed.
  for (let n = 0; n < 40; n++) {
    const body = text().normalize('NFC');
    const { json } = await app.request('POST', '/api/v1/messages/', {
      token,
      body: { body, room: { uuid: room } },
    });
    stored.push({ _id: json.uuid, body, sent_at: new Date(json.sent_at) });
  }
  const last = stored.at(-1)?._id ?? '';
  await expect
    .poll(() => models.searchSegments.countDocuments({ lines: new RegExp(last.replaceAll('-', '')) }), {
      timeout: 60_000,
    })
    .toBe(1);
  stored.sort((a, b) => b.sent_at.getTime() - a.sent_at.getTime() || (a._id < b._id ? 1 : -1));

  const all = async (q: string, limit: number): Promise<string[]> => {
    const seen: string[] = [];
    let path = `/api/v1/search/?kind=message&limit=${limit}&q=${encodeURIComponent(q)}`;
    while (path !== '') {
      const { status, json, text, headers } = await app.request('GET', path, { token });
      expect(status, text).toBe(200);
      for (const { uuid, matches } of json) {
        seen.push(uuid);
        const [{ text, marks }] = matches;
        let end = 0;
        for (const mark of marks) {
          expect(mark[0]).toBeGreaterThanOrEqual(end);
          expect(mark[1]).toBeGreaterThan(mark[0]);
          end = mark[1];
        }
        expect(end).toBeLessThanOrEqual(text.length);
      }
      path = /<https?:\/\/[^/]*([^>]+)>/.exec(headers.link ?? '')?.[1] ?? '';
    }
    return seen;
  };
  let count = 0;
  for (let n = 0; n < 120; n++) {
    const q = Array.from({ length: 1 + below(3) }, () => {
      const word = [...pick(WORDS)];
      return below(3) ? word.join('') : word.slice(0, 1 + below(word.length)).join('');
    }).join(' ');
    const words = wordsOf(q);
    if (words.length === 0) continue;
    const wanted = stored.filter(({ body }) => isFound(body, words)).map(({ _id }) => _id);
    const found = await all(q, 50);
    expect({ q, words, found }).toEqual({ q, words, found: wanted });
    count += found.length;
  }
  expect(count).toBeGreaterThan(1_000);
});
