import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';
import { MAX_SEGMENTS } from './candidates.ts';
import { type Line, lineKey, timeOfKey, uuidOfKey } from './lines.ts';
import { type SegmentPlace, Segments } from './segments.ts';
import { MAX_WIDGET_SEGMENTS } from './widget-candidates.ts';

/** Whoever is restricted to some widgets learns nothing of the words in others, not even from where a page ends. */

const app = testApp();
const { member } = testMembers(app);
/** An account with two widgets, and an operator who sees the first one. */
const start = async () => {
  const { token, id } = await app.account();
  const widgets = [];
  for (const name of ['Own', 'Hidden']) {
    widgets.push((await app.request('POST', '/api/v1/widgets/', { token, body: { name } })).json);
  }
  const [own, hidden] = widgets;
  const operator = await member(token, 'operator', { widgets: [own.uuid] });
  const place: SegmentPlace = { account: id, kind: 'message' };
  const segments = new Segments(app.services.models.searchSegments);
  /** All pages of a search: how many results each has. */
  const pages = async (q: string, as = operator.token): Promise<number[]> => {
    const counts: number[] = [];
    let path: string | undefined = `/api/v1/search/?q=${q}&kind=message`;
    while (path) {
      const { status, json, headers, text } = await app.request('GET', path, { token: as });
      expect(status, text).toBe(200);
      counts.push(json.length);
      path = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '');
    }
    return counts;
  };
  return { token, own, hidden, place, segments, pages };
};

let moment = 1_700_000_000_000;
const line = (widget: string, ...words: string[]): Line => ({
  key: lineKey(new Date(moment++), randomUUID()),
  widget,
  subjects: [randomUUID()],
  words,
});

it('a word in many segments of other widgets is answered as one that nobody wrote', async () => {
  const { token, own, hidden, place, segments, pages } = await start();
  for (let n = 0; n < 2 * MAX_SEGMENTS; n++) {
    await segments.addSealed(place, [[line(hidden.uuid, 'merger', 'number')]]);
    // And where both have something to say in the same segment.
    const both = [line(hidden.uuid, 'merger', 'to'), line(own.uuid, 'hello', 'number')];
    await segments.addSealed(place, [both.reverse()]);
  }
  const words = ['zebra', 'merger', 'mergers', 'merger%20zebra', 'merger%20number', 'hello%20merger', 'to'];
  for (const q of words) expect([q, await pages(q)]).toEqual([q, [0]]);
  // Whoever sees all is not kept from anything.
  expect((await pages('merger', token)).length).toBeGreaterThan(1);
});

it('what it sees is found behind any number of such segments', async () => {
  const { own, hidden, place, segments, pages } = await start();
  const ours = line(own.uuid, 'merger', 'of');
  const message = { _id: uuidOfKey(ours.key), sent_at: timeOfKey(ours.key), body: 'A merger of ours' };
  const { account } = place;
  const { messages } = app.services.models;
  await messages.collection.insertOne({ ...message, account, widget: own.uuid, room: randomUUID() } as never);
  await segments.addSealed(place, [[ours]]);
  for (let n = 0; n < MAX_WIDGET_SEGMENTS - 2; n++) {
    const both = [line(hidden.uuid, 'merger', 'of'), line(own.uuid, 'hello')];
    await segments.addSealed(place, [both.reverse()]);
    await segments.addSealed(place, [[line(hidden.uuid, 'merger', 'of')]]);
  }
  for (const q of ['merger', 'of']) expect([q, await pages(q)]).toEqual([q, [1]]);
});

it('with so many segments of its own a page ends after as many, whatever is looked for', async () => {
  const { own, hidden, place, segments, pages } = await start();
  for (let n = 0; n < MAX_WIDGET_SEGMENTS + 1; n++) {
    const both = [line(hidden.uuid, 'merger'), line(own.uuid, 'hello')];
    await segments.addSealed(place, [both.reverse()]);
  }
  for (const q of ['merger', 'zebra', 'hello%20merger', 'me'])
    expect([q, await pages(q)]).toEqual([q, [0, 0]]);
  // Each page reads as many segments with a word of its own as any search does.
  expect(await pages('hello')).toHaveLength(Math.ceil((MAX_WIDGET_SEGMENTS + 1) / MAX_SEGMENTS));
});
