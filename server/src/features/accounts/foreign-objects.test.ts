import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { settled } from '../../../test/audit.ts';
import { type Fixtures, makeFixtures } from '../../../test/fixtures.ts';
import { changed, type Line, movedAccounts } from '../../../test/moved-accounts.ts';
import { startReceiver, until } from '../../../test/webhooks-parts.ts';

const app = testApp({ WEBHOOK_RETRY_DELAYS: '1h' });
const { moved, read } = movedAccounts(app);

describe('an import where another account is', () => {
  let kept: Fixtures;
  let widget = '';

  beforeAll(async () => {
    kept = await makeFixtures(app);
    widget = (await app.request('GET', '/api/v1/widgets/', { token: kept.token })).json[0].uuid;
  });

  it('looks at each reference, wherever it stands, and says on which line', async () => {
    const { lines } = await moved();
    const other = kept.ids.leads;
    const ofBot = (one: any) => one.bot;
    const at = { $date: new Date() };
    const event = {
      id: randomUUID(),
      name: 'message.added',
      at,
      data: { room: { uuid: other } },
    };
    const said = { _id: randomUUID(), account: '', room: '', body: 'a', sent_at: at, events: [event] };
    const pending = { turn: randomUUID(), at, leads: [], messages: [] };
    const cases: [string, (document: any) => void, ((document: any) => boolean)?][] = [
      ['rooms', (one) => (one.bot.workflow = other), ofBot],
      ['rooms', (one) => (one.bot.pending = { ...pending, messages: [said] }), ofBot],
      ['rooms', (one) => (one.bot.pending = { ...pending, answers: { message: other, text: 'a' } }), ofBot],
      ['rooms', (one) => (one.bot.pending = { ...pending, leads: [{ _id: other, fields: {} }] }), ofBot],
      ['messages', (one) => (one.author = { uuid: other, name: 'Ada' })],
      ['inbox', (one) => (one.assignee = other)],
      ['inbox', (one) => (one.unread = [other])],
      ['inbox', (one) => (one.introduced_in = other)],
      ['inbox', (one) => (one.heard.recent = [{ id: other, at, sender: 'visitor' }])],
      ['notes', (one) => (one.author = { uuid: other, name: 'Ada' })],
      ['notes', (one) => (one.mentions = [other])],
      ['replies', (one) => (one.assignee = other)],
      ['sessions', (one) => (one.room = other)],
      ['deliveries', (one) => (one.subject = other)],
      ['deliveries', (one) => (one.subscription.uuid = other)],
      ['audit', (one) => (one.object.uuid = other)],
      ['account', (one) => (one.founder = other)],
    ];
    for (const [kind, change, fits] of cases) {
      const file = changed(lines, kind, change, fits);
      const line = 1 + file.findIndex((one) => JSON.stringify(one).includes(other as string));
      await expect(read(file)).rejects.toThrow(`line ${line}: an object names ${other}, which is another`);
    }
  });

  it('takes what people wrote for words, also where it looks like an object of somebody else', async () => {
    const { fixtures, lines } = await moved(async ({ token, room, visitor, ids, agentKey }) => {
      const as =
        (credential: object) =>
        async (method: 'POST' | 'PATCH', path: string, body: object): Promise<void> => {
          const { status, text } = await app.request(method, `/api/v1/${path}`, { ...credential, body });
          expect([path, status, text]).toEqual([path, expect.toBeOneOf([200, 201]), text]);
        };
      const [own, visitors] = [as({ token }), as({ visitor: visitor.token })];
      const said = { nickname: widget, body: widget };
      const agent = as({ headers: { 'x-api-key': agentKey } });
      const conversation = ids['conversations by conversation'];
      await agent('POST', `public/conversations/${conversation}/messages`, { message: widget });
      await visitors('POST', 'leads/', { nickname: widget, from_page_title: widget });
      await own('POST', 'keywords/', { keyword: widget });
      await visitors('POST', 'messages/', { ...said, room: { uuid: visitor.room.uuid } });
      await own('PATCH', 'members/me/', { name: widget });
      await own('POST', 'messages/', { ...said, is_support_sender: true, room: { uuid: room.uuid } });
      await own('POST', `conversations/${room.uuid}/notes/`, { body: widget });
      await own('PATCH', `conversations/${room.uuid}/`, { tags: [widget] });
      await own('POST', 'rooms/', { label: widget, name: widget });
      await own('POST', 'replies/', {
        name: widget,
        shortcut: widget.slice(0, 32),
        body: widget,
        tags: [widget],
      });
      await own('POST', 'tokens/', { name: widget, scopes: ['leads:read'] });
      await settled(app.services);
    });
    const at = { $date: new Date(0) };
    const attempt = {
      at,
      status: 200,
      duration_ms: 1,
      error: widget,
      response: widget,
    };
    const word = { nickname: widget, body: widget };
    const event = { id: randomUUID(), name: 'message.added', at, data: { ...word, room: { label: widget } } };
    const said = { _id: randomUUID(), account: '', room: '', sent_at: at, ...word };
    const pending = {
      turn: randomUUID(),
      at,
      messages: [{ ...said, support_answer: widget, events: [event] }],
      leads: [{ _id: randomUUID(), fields: { nickname: widget } }],
      answers: { message: randomUUID(), text: widget },
    };
    const rest: [string, (document: any) => void, ((document: any) => boolean)?][] = [
      ['sessions', (one) => Object.assign(one.page, { title: widget, url: widget, referrer: widget })],
      ['deliveries', (one) => (one.attempts = [attempt])],
      ['notifications', (one) => (one.transcripts = [word])],
      ['rooms', ({ bot }) => Object.assign(bot, { node: widget, pending }), (one) => one.bot],
    ];
    const file = rest.reduce<Line[]>((all, [kind, change, fits]) => changed(all, kind, change, fits), lines);
    expect(JSON.stringify(file).split(widget).length).toBeGreaterThan(40);
    expect(await read(file)).toBe(fixtures.username);
  });

  it('marks nothing of another account as sent by the delivery that it brings', async () => {
    const own = { token: kept.token };
    await app.request('POST', '/api/v1/keywords/', { ...own, body: { keyword: 'refund' } });
    const said = { body: 'a refund', room: { uuid: kept.visitor.room.uuid } };
    await app.request('POST', '/api/v1/messages/', { visitor: kept.visitor.token, body: said });
    const raised = async () =>
      (await app.request('GET', '/api/v1/keyword_notifications/', own)).json as { sent_at: null }[];
    await until(async () => (await raised()).length === 1);
    const [notification] = await raised();
    const receiver = await startReceiver();
    const { fixtures, lines } = await moved();
    const event = 'keyword_notification.added';
    const body = JSON.stringify({ data: notification });
    // Of the old webhook the app knows yet where its queue goes.
    const renamed = JSON.stringify(lines).replaceAll(String(fixtures.ids.webhooks), randomUUID());
    const toReceiver = changed(JSON.parse(renamed), 'webhooks', (one) =>
      Object.assign(one, { event, target: receiver.url }),
    );
    const due_at = { $date: new Date(Date.now() - 60_000) };
    await read(changed(toReceiver, 'deliveries', (one) => Object.assign(one, { event, body, due_at })));
    app.services.sender.wake();
    await until(async () => {
      const { json } = await app.request('GET', '/api/v1/deliveries/', { token: fixtures.token });
      return json.some(({ state }: { state: string }) => state === 'delivered');
    });
    expect(receiver.hits.map((hit) => hit.body)).toContain(body);
    expect(await raised()).toMatchObject([{ sent_at: null }]);
  });
});
