import { expect, it, vi } from 'vitest';
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
