import { beforeAll, expect, it } from 'vitest';
import { testApp } from '../../../../test/app.ts';
import { conversationsOf } from '../../../../test/inbox.ts';

const app = testApp();
const { call, visit } = conversationsOf(app);

let token = '';
let widget = '';

beforeAll(async () => {
  ({ token, widget } = await app.account());
});

const note = async (uuid: string, body: string) =>
  (await call('POST', `${uuid}/notes/`, token, { body: { body } })).json;

/** Where the links of a page lead, by their `rel`. */
const linksOf = ({ headers }: { headers: { link?: string } }): Record<string, string> =>
  Object.fromEntries(
    [...(headers.link ?? '').matchAll(/<https?:..[^/]+([^>]+)>; rel="(\w+)"/g)].map(([, to, rel]) => [
      rel,
      to,
    ]),
  );
const get = (path: string) => app.request('GET', path, { token });
const around = (uuid: string, entry: string, limit: number) =>
  get(`/api/v1/conversations/${uuid}/timeline/?around=${entry}&limit=${limit}`);

/** All entries that the pages in one direction have, as they come. */
const follow = async (path: string | undefined, rel: 'next' | 'prev'): Promise<any[][]> => {
  const pages: any[][] = [];
  for (let to = path; to !== undefined; ) {
    const page = await get(to);
    expect(page.status).toBe(200);
    pages.push(page.json);
    to = linksOf(page)[rel];
  }
  return pages;
};

/** A conversation of `count` messages and notes in turn, and its whole timeline. */
const furnished = async (count: number) => {
  const { uuid, say } = await visit(widget, token);
  for (let n = 0; n < count; n++) {
    if (n % 2) await note(uuid, `note ${n}`);
    else await say(`message ${n}`);
  }
  const all = async () => (await call('GET', `${uuid}/timeline/?limit=200`, token)).json;
  return { uuid, all };
};

it('has what stands around an entry, and leads on in both directions', async () => {
  const { uuid, all } = await furnished(20);
  const { messages, notes } = app.services.models;
  for (const isOneMoment of [false, true]) {
    if (isOneMoment) {
      const at = new Date();
      await messages.updateMany({ room: uuid }, { $set: { sent_at: at } });
      await notes.updateMany({ room: uuid }, { $set: { created_at: at } });
    }
    const whole = await all();
    expect(whole).toHaveLength(21);
    for (const place of [0, 1, 9, 10, 20]) {
      for (const limit of [1, 4, 5]) {
        const page = await around(uuid, whole[place].uuid, limit);
        expect(page.json.map((one: any) => one.uuid)).toContain(whole[place].uuid);
        expect(page.json.length).toBeLessThanOrEqual(limit);
        const { prev, next, ...others } = linksOf(page);
        expect(others).toEqual({});
        const newer = (await follow(prev, 'prev')).reverse().flat();
        const older = (await follow(next, 'next')).flat();
        expect([...newer, ...page.json, ...older]).toEqual(whole);
      }
    }
  }
});

it('has as much on both sides, where there is as much', async () => {
  const { uuid, all } = await furnished(12);
  const whole = await all();
  expect((await around(uuid, whole[6].uuid, 5)).json).toEqual(whole.slice(4, 9));
  expect((await around(uuid, whole[0].uuid, 5)).json).toEqual(whole.slice(0, 5));
});

it('goes on to what came after the page was read', async () => {
  const { uuid, all } = await furnished(4);
  const [newest] = await all();
  const page = await around(uuid, newest.uuid, 2);
  expect(linksOf(page).prev).toBeUndefined();
  const middle = await around(uuid, (await all())[2].uuid, 2);
  await note(uuid, 'later');
  const [first] = (await follow(linksOf(middle).prev, 'prev')).reverse();
  expect(first?.[0]).toMatchObject({ kind: 'note', body: 'later' });
});

it('ends at 2 MiB, with the entry itself', async () => {
  const { uuid } = await visit(widget, token);
  const body = '\u{1f600}'.repeat(10_000);
  const made = [];
  for (let n = 0; n < 70; n++) made.push((await note(uuid, body)).uuid);
  const page = await around(uuid, made[35], 200);
  expect(page.text.length).toBeLessThan(2 * 1024 * 1024);
  expect(page.json.map((one: any) => one.uuid)).toContain(made[35]);
  const { prev, next } = linksOf(page);
  const sides = [await follow(prev, 'prev'), await follow(next, 'next')];
  expect(sides.flat(2).length + page.json.length).toBe(71);
});

it('says of an entry that is gone, or another conversation’s, that it does not exist', async () => {
  const { uuid } = await visit(widget, token);
  const { uuid: gone } = await note(uuid, 'for a moment');
  await call('DELETE', `${uuid}/notes/${gone}/`, token);
  const other = await visit(widget, token);
  const [elsewhere] = (await call('GET', `${other.uuid}/timeline/`, token)).json;
  for (const entry of [gone, elsewhere.uuid]) {
    const { status, json } = await around(uuid, entry, 10);
    expect([status, json]).toEqual([400, { around: [`Object with uuid=${entry} does not exist.`] }]);
  }
});

it.each(['around=x', 'around=', 'around=&cursor='])('refuses %s', async (query) => {
  const { uuid } = await visit(widget, token);
  expect((await call('GET', `${uuid}/timeline/?${query}`, token)).status).toBe(400);
});

it('refuses both a place and a cursor, and a cursor of this list in another', async () => {
  const { uuid, all } = await furnished(3);
  const [, , entry] = await all();
  const { prev = '' } = linksOf(await around(uuid, entry.uuid, 1));
  expect((await get(`${prev}&around=${entry.uuid}`)).status).toBe(400);
  const cursor = new URL(prev, 'http://x').searchParams.get('cursor');
  expect((await get(`/api/v1/messages/?cursor=${cursor}`)).status).toBe(400);
});
