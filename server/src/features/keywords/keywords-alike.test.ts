import { describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';

const app = testApp();

const path = '/api/v1/keywords/';
const configure = (token: string, keyword: string) => app.request('POST', path, { token, body: { keyword } });
const TAKEN = [400, { keyword: ['This field must be unique.'] }];

it('a keyword is mentioned however its ß is written', async () => {
  const { token } = await app.account();
  for (const keyword of ['größe', 'strasse']) await configure(token, keyword);
  const room = (await app.request('POST', '/api/v1/rooms/', { token })).json;
  const say = (body: string) =>
    app.request('POST', '/api/v1/messages/', { token, body: { body, room: { uuid: room.uuid } } });
  const said = ['Welche GRÖẞE bitte', 'STRAẞE', 'GRÖSSE, Straße', 'Nichts davon', 'Ende der straße'];
  for (const body of said) await say(body);
  const raised = async () => {
    const { json } = await app.request('GET', '/api/v1/keyword_notifications/', { token });
    const told = new Map(json.map(({ customer_request, keywords }: any) => [customer_request, keywords]));
    return said.flatMap((body) => (told.has(body) ? [[body, told.get(body)]] : []));
  };
  // The last one is told after those before it.
  await vi.waitFor(async () => expect((await raised()).at(-1)?.[0]).toBe(said.at(-1)), {
    timeout: 60_000,
  });
  expect(await raised()).toEqual([
    ['Welche GRÖẞE bitte', ['größe']],
    ['STRAẞE', ['strasse']],
    ['GRÖSSE, Straße', ['größe', 'strasse']],
    ['Ende der straße', ['strasse']],
  ]);
});

it('a keyword is there once, however its ß is written', async () => {
  const { token } = await app.account();
  expect((await configure(token, 'GRÖẞE')).status).toBe(201);
  for (const same of ['größe', 'GRÖSSE', 'Größe', 'GRÖẞE']) {
    const { status, json } = await configure(token, same);
    expect([status, json]).toEqual(TAKEN);
  }
});

describe('a keyword that an earlier version has folded otherwise', () => {
  /** Keywords as they were stored, each with what was its folded form then. */
  const store = async (...stored: [keyword: string, folded: string][]) => {
    const { token, id } = await app.account();
    await app.services.models.keywords.insertMany(
      stored.map(([keyword, folded], n) => ({
        ...{ _id: crypto.randomUUID(), keyword, folded, account: id, created_at: new Date(1_000 * n) },
      })),
    );
    const list = async () => (await app.request('GET', path, { token })).json.reverse();
    return { token, list };
  };

  it.each([
    ['GRÖẞE', 'große', 'größe'],
    ['Kündi\u00adgung', 'kundi\u00adgung', 'Kündigung'],
  ])('is %j once', async (keyword, folded, same) => {
    const { token, list } = await store([keyword, folded]);
    const { status, json } = await configure(token, same);
    expect([status, json]).toEqual(TAKEN);
    const [{ uuid }] = await list();
    expect((await app.request('DELETE', `${path}${uuid}/`, { token })).status).toBe(204);
    expect((await configure(token, same)).status).toBe(201);
  });

  it('goes on beside one that is alike by now', async () => {
    const { token, list } = await store(['GRÖẞE', 'große'], ['größe', 'grosse'], ['Rest', 'rest']);
    expect((await configure(token, 'Straße')).status).toBe(201);
    const [first, second, ...others] = await list();
    expect([first.keyword, second.keyword, others.length]).toEqual(['GRÖẞE', 'größe', 2]);
    for (const { uuid, keyword } of [second, first]) {
      const one = `${path}${uuid}/`;
      expect((await app.request('GET', one, { token })).json.keyword).toBe(keyword);
      expect((await configure(token, 'GRÖSSE')).json).toEqual(TAKEN[1]);
      expect((await app.request('DELETE', one, { token })).status).toBe(204);
    }
    expect((await configure(token, 'GRÖSSE')).status).toBe(201);
  });

  it('is found behind one that is damaged', async () => {
    const { token } = await store(['', 'damaged'], ['GRÖẞE', 'große']);
    await app.services.models.keywords.collection.updateOne(
      { folded: 'damaged' },
      { $unset: { keyword: 1 } },
    );
    const { status, json } = await configure(token, 'größe');
    expect([status, json]).toEqual(TAKEN);
  });
});
