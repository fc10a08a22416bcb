import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';
import { eventually, marked, searchOf } from '../../../test/search.ts';
import { deleteAccount } from '../accounts/account-data.ts';

const app = testApp();
const people = testMembers(app);
const { search, uuidsOf, makeRoom, say } = searchOf(app);

describe('a search', () => {
  it('finds messages by all of their words, the last one as a beginning, newest first', async () => {
    const { token } = await app.account();
    const room = await makeRoom(token, { name: 'A question', label: 'spring' });
    const first = await say(token, room.uuid, 'Do you deliver to Çeşme?');
    await say(token, room.uuid, 'Something else, delivered');
    const last = await say(token, room.uuid, 'DELIVERY to cesme is free');
    await eventually(() => uuidsOf(token, 'cesme deliv')).toEqual([last, first]);
    expect(await uuidsOf(token, 'deliv cesme')).toEqual([]);
    expect(await uuidsOf(token, 'to cesme is')).toEqual([last]);
    const [result, other] = await search(token, 'çesm');
    expect(result).toEqual({
      kind: 'message',
      uuid: last,
      at: expect.stringMatching(/^\d{4}-.*\+00:00$/),
      conversation: { uuid: room.uuid, label: 'spring', name: 'A question' },
      matches: [{ field: 'body', text: 'DELIVERY to cesme is free', marks: [[12, 16]] }],
    });
    expect(marked(other.matches[0])).toEqual(['Çeşm']);
  });

  it('finds words however their ß is written, and marks them', async () => {
    const { token } = await app.account();
    const room = await makeRoom(token);
    const written = ['GRÖẞE und STRAẞE', 'größe und straße', 'GRÖSSE und STRASSE'];
    const said: string[] = [];
    for (const text of written) said.unshift(await say(token, room.uuid, text));
    for (const q of ['größe', 'GRÖẞE', 'straße', 'STRAẞE', 'strasse', 'GRÖẞE straß']) {
      await eventually(() => uuidsOf(token, q, '&kind=message')).toEqual(said);
    }
    const found = await search(token, 'strasse', '&kind=message');
    expect(found.map(({ matches }) => marked(matches[0]))).toEqual([['STRASSE'], ['straße'], ['STRAẞE']]);
  });

  it('finds conversations by name, label and visitor, as they are now', async () => {
    const { token, widget } = await app.account();
    const { visitor, room } = await app.session(widget);
    await app.request('POST', '/api/v1/messages/', {
      visitor,
      body: { body: 'Hi', nickname: 'Grace', email: 'grace@example.org', room: { uuid: room.uuid } },
    });
    const body = { nickname: 'Ada Lovelace', email: 'ada@example.com', phone_number: '+44 20 7946' };
    const lead = (await app.request('POST', '/api/v1/leads/', { visitor, body })).json;
    const named = { token, body: { name: 'Sunday delivery' } };
    await app.request('PATCH', `/api/v1/rooms/${room.label}/`, named);
    for (const q of ['grace', 'lovelace grace@example.org', 'sunday ada 7946', room.label]) {
      await eventually(() => uuidsOf(token, q, '&kind=conversation')).toEqual([room.uuid]);
    }
    expect(await uuidsOf(token, 'ada love', '&kind=lead')).toEqual([lead.uuid]);
    expect(await uuidsOf(token, 'ada', '&kind=message')).toEqual([]);
    expect((await uuidsOf(token, 'ada')).sort()).toEqual([lead.uuid, room.uuid].sort());
    await app.request('PATCH', `/api/v1/rooms/${room.label}/`, { token, body: { name: 'Returns' } });
    await app.request('PATCH', `/api/v1/leads/${lead.uuid}/`, { token, body: { nickname: 'Augusta' } });
    await eventually(() => uuidsOf(token, 'augusta returns')).toEqual([room.uuid]);
    await eventually(() => uuidsOf(token, 'augusta', '&kind=lead')).toEqual([lead.uuid]);
    expect(await uuidsOf(token, 'sunday')).toEqual([]);
    expect(await uuidsOf(token, 'lovelace')).toEqual([]);
  });

  it('goes through all pages, each result once', async () => {
    const { token } = await app.account();
    const room = await makeRoom(token);
    const said: string[] = [];
    for (let n = 0; n < 7; n++) said.unshift(await say(token, room.uuid, `number ${n}`));
    await eventually(async () => (await search(token, 'number')).length).toBe(7);
    const seen: string[] = [];
    let path: string | undefined = '/api/v1/search/?q=number&limit=3&kind=message';
    while (path) {
      const { json, headers }: any = await app.request('GET', path, { token });
      expect(json.length).toBeLessThan(4);
      seen.push(...json.map(({ uuid }: { uuid: string }) => uuid));
      path = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '');
    }
    expect(seen).toEqual(said);
  });

  it('leads to the next page by a cursor that says nothing, and is good for its account alone', async () => {
    const { token } = await app.account();
    const room = await makeRoom(token);
    const said = [await say(token, room.uuid, 'number 1'), await say(token, room.uuid, 'number 2')];
    await eventually(async () => (await search(token, 'number')).length).toBe(2);
    const path = '/api/v1/search/?q=number&limit=1';
    const { headers } = await app.request('GET', path, { token });
    const cursor = /cursor=([^&>]+)/.exec(headers.link ?? '')?.[1] ?? '';
    const bytes = cursor.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
    for (const uuid of said) expect(bytes.join()).not.toContain(uuid.replaceAll('-', ''));
    expect((await app.request('GET', `${path}&cursor=${cursor}`, { token })).json).toMatchObject([
      { uuid: said[0] },
    ]);
    const other = await app.account();
    const foreign = await app.request('GET', `${path}&cursor=${cursor}`, other);
    expect([foreign.status, foreign.json]).toEqual([400, { cursor: ['Invalid cursor.'] }]);
  });
});

describe('a query', () => {
  it.each([
    ['', { q: ['This field is required.'] }],
    ['q=', { q: ['This field may not be blank.'] }],
    ['q=%20%20', { q: ['This field may not be blank.'] }],
    [`q=${'a'.repeat(201)}`, { q: ['Ensure this field has no more than 200 characters.'] }],
    [`q=${'a'.repeat(10_000)}`, { q: ['Ensure this field has no more than 200 characters.'] }],
    ['q=a%00b', { q: ['Null characters are not allowed.'] }],
    [`q=a${'%CC%80'.repeat(31)}`, { q: [expect.stringContaining('combining marks')] }],
    ['q=%3F!', { q: ['Give at least one word, number or emoji to look for.'] }],
    [`q=${'a+'.repeat(21)}`, { q: ['Give no more than 20 words.'] }],
    ['q=a&q=b', { q: ['This parameter may be given only once.'] }],
    ['q=a&kind=room', { kind: ['One of conversation, message, lead, note is required.'] }],
    ['q=a&limit=0', { limit: ['A whole number from 1 to 50 is required.'] }],
    ['q=a&limit=51', { limit: ['A whole number from 1 to 50 is required.'] }],
    ['q=a&cursor=', { cursor: ['Invalid cursor.'] }],
    ['q=a&cursor=eHh4', { cursor: ['Invalid cursor.'] }],
  ])('that is wrong says so: %s', async (query, errors) => {
    const { token } = await app.account();
    const { status, json } = await app.request('GET', `/api/v1/search/?${query}`, { token });
    expect([status, json]).toEqual([400, errors]);
  });

  it('finds what is hostile, long, written from right to left or with marks, as it was written', async () => {
    const { token } = await app.account();
    const room = await makeRoom(token);
    const texts: [body: string, q: string, found: string[]][] = [
      ['<img src=x onerror=alert(1)>', 'onerror', ['onerror']],
      [`${'x'.repeat(9_990)} needle`, 'needle', ['needle']],
      ['y'.repeat(10_000), 'y'.repeat(200), ['y'.repeat(200)]],
      ['שלום עולם', 'עול', ['עול']],
      ['a👩‍👩‍👧b', '👧', ['👧']],
      ['a🇩🇪🇫🇷b', '🇫🇷', ['🇫🇷']],
      [`q${'\u0315'.repeat(30)}r`, 'qr', [`q${'\u0315'.repeat(30)}r`.normalize('NFC')]],
      [`${'東'.repeat(4_000)}京${'東'.repeat(4_000)}`, '京', ['京']],
      ['𠮷野家で', '𠮷野', ['𠮷野']],
      ['$where {"$gt":""} .* \\', 'gt', ['gt']],
    ];
    for (const [body] of texts) await say(token, room.uuid, body);
    for (const [body, q, found] of texts) {
      await eventually(async () => (await search(token, q)).length).toBe(1);
      const [{ matches }] = await search(token, q);
      expect(marked(matches[0])).toEqual(found);
      expect(matches[0].text.length).toBeLessThan(400);
      expect(body.normalize('NFC')).toContain(matches[0].text.replaceAll('…', ''));
    }
    // Two flags have none of a third between them.
    for (const q of ['🇪🇫', '🇩']) expect(await search(token, q)).toEqual([]);
  });
});

it('finds words and emojis whether or not something chooses how they look', async () => {
  const { token } = await app.account();
  const room = await makeRoom(token);
  const warned = await say(token, room.uuid, '⚠️Achtung, es ist kaputt');
  const loved = await say(token, room.uuid, 'We ❤️ this, 葛󠄀城市, Kündi\u00adgung');
  for (const q of ['achtung', '⚠', '⚠️achtung']) await eventually(() => uuidsOf(token, q)).toEqual([warned]);
  for (const q of ['❤', '❤️', '葛城市', '葛󠄀城市', 'kündigung']) {
    await eventually(() => uuidsOf(token, q)).toEqual([loved]);
  }
  const [{ matches }] = await search(token, 'achtung');
  expect(marked(matches[0])).toEqual(['Achtung']);
  const [{ matches: others }] = await search(token, 'kündigung');
  expect(marked(others[0])).toEqual(['Kündi\u00adgung']);
});

describe('of what is found', () => {
  const writeTo = async (widget: string, body: string) => {
    const { visitor, room } = await app.session(widget);
    await app.request('POST', '/api/v1/messages/', { visitor, body: { body, room: { uuid: room.uuid } } });
    const lead = await app.request('POST', '/api/v1/leads/', { visitor, body: { nickname: body } });
    return { visitor, room, lead: lead.json.uuid as string };
  };

  it('nobody sees what belongs to another account, or to widgets that are none of theirs', async () => {
    const { token, widget } = await app.account();
    const stranger = await app.account();
    const other = (await app.request('POST', '/api/v1/widgets/', { token })).json;
    const [first] = (await app.request('GET', '/api/v1/widgets/', { token })).json.filter(
      (one: { token: string }) => one.token === widget,
    );
    const inside = await writeTo(widget, 'canary inside');
    await writeTo(other.token, 'canary outside');
    const byApi = await makeRoom(token, { name: 'canary' });
    await eventually(async () => (await search(token, 'canary')).length).toBe(7);
    const { member } = people;
    const operator = await member(token, 'operator', { widgets: [first.uuid] });
    const found = await search(operator.token, 'canary');
    expect(new Set(found.map(({ conversation }) => conversation.uuid))).toEqual(new Set([inside.room.uuid]));
    expect(found.map(({ kind }) => kind).sort()).toEqual(['conversation', 'lead', 'message']);
    expect(await search(operator.token, 'outside')).toEqual([]);
    expect(await search(stranger.token, 'canary')).toEqual([]);
    expect(await search((await member(token, 'operator')).token, byApi.label)).toHaveLength(1);
  });

  it('a program finds the kinds that it may read', async () => {
    const { token, widget } = await app.account();
    await writeTo(widget, 'canary');
    await eventually(async () => (await search(token, 'canary')).length).toBe(3);
    const program = async (scopes: string[]) =>
      (await app.request('POST', '/api/v1/tokens/', { token, body: { name: 'A program', scopes } })).json
        .token;
    const reader = await program(['conversations:read']);
    expect((await search(reader, 'canary')).map(({ kind }) => kind).sort()).toEqual([
      'conversation',
      'message',
    ]);
    const path = '/api/v1/search/?q=canary&kind=lead';
    expect((await app.request('GET', path, { token: reader })).status).toBe(403);
    expect((await app.request('GET', path, { token: await program(['leads:read']) })).status).toBe(403);
    expect(await search(await program(['conversations:read', 'leads:read']), 'canary')).toHaveLength(3);
  });

  it.each(['a room', 'a lead', 'a visitor', 'an account'])(
    'nothing is left of %s that is gone',
    async (what) => {
      const { token, widget, id } = await app.account();
      const word = `canary${randomUUID().slice(0, 8)}`;
      const { visitor, room, lead } = await writeTo(widget, word);
      const others = await writeTo(widget, 'somebody else');
      await eventually(async () => (await search(token, word)).length).toBe(3);
      // Some of it is sealed, and some is not.
      await app.services.earlierObjects.request(id);
      await app.services.earlierObjects.sweep();
      await say(token, room.uuid, `more of ${word}`);
      await eventually(async () => (await search(token, word)).length).toBe(4);
      const { models } = app.services;
      const stored = async () =>
        (await models.searchSegments.find({ account: id }).lean()).filter(({ lines }) =>
          lines.includes(word),
        );
      expect(await stored()).not.toEqual([]);
      const remove = (path: string, as: object) => app.request('DELETE', path, as);
      const left: Record<string, string[]> = { 'a room': ['lead'], 'a lead': ['message', 'message'] };
      if (what === 'a room') await remove(`/api/v1/rooms/${room.label}/`, { token });
      if (what === 'a lead') await remove(`/api/v1/leads/${lead}/`, { token });
      if (what === 'a visitor') await remove(`/api/v1/widgets/${widget}/sessions/`, { visitor });
      if (what === 'an account') {
        await deleteAccount(app.services, id);
        expect(await models.searchSegments.countDocuments({ account: id })).toBe(0);
        return;
      }
      expect((await search(token, word)).map(({ kind }) => kind)).toEqual(left[what] ?? []);
      if (what === 'a visitor') expect(await stored()).toEqual([]);
      expect(await uuidsOf(token, 'somebody else', '&kind=message')).toHaveLength(1);
      expect(await uuidsOf(token, others.room.label)).toEqual([others.room.uuid]);
      // Its conversation is found by what else is known of it.
      if (what === 'a lead') expect(await uuidsOf(token, room.label)).toEqual([room.uuid]);
    },
  );
});
