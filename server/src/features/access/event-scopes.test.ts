import { expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';

/** A program gets by webhooks and their log what its scopes show it elsewhere, and nothing else. */

const app = testApp({ WEBHOOK_ALLOW_PRIVATE: 'true' });
const WEBHOOKS = '/api/v1/webhooks/';
/** Nobody listens there. */
const target = 'http://127.0.0.1:59998/';

const start = async () => {
  const { token, widget } = await app.account();
  const program = async (...scopes: string[]): Promise<string> => {
    const body = { name: 'A program', scopes };
    return (await app.request('POST', '/api/v1/tokens/', { token, body })).json.token;
  };
  return { token, widget, program };
};
const needs = (scope: string) => ({ detail: expect.stringContaining(`needs the scope ${scope},`) });

it('what was sent is shown with the scope of what it tells', async () => {
  const { token, widget, program } = await start();
  await app.request('POST', '/api/v1/keywords/', { token, body: { keyword: 'refund' } });
  const shown = {
    'message.added': 'conversations:read',
    'lead.added': 'leads:read',
    'keyword_notification.added': 'keywords:read',
  };
  for (const event of Object.keys(shown)) {
    expect((await app.request('POST', WEBHOOKS, { token, body: { event, target } })).status).toBe(201);
  }
  const { visitor, room } = await app.session(widget);
  const said = { body: 'A refund to my card', room: { uuid: room.uuid } };
  await app.request('POST', '/api/v1/messages/', { visitor, body: said });
  await app.request('POST', '/api/v1/leads/', { visitor, body: { nickname: 'Berta' } });
  const reader = await program('webhooks:read');
  const log = () => app.request('GET', '/api/v1/deliveries/', { token: reader });
  await vi.waitFor(async () => expect((await log()).json).toHaveLength(3), { timeout: 60_000 });
  for (const { id, event } of (await log()).json as { id: string; event: keyof typeof shown }[]) {
    const read = (as: string) => app.request('GET', `/api/v1/deliveries/${id}/body/`, { token: as });
    const refused = await read(reader);
    expect([refused.status, refused.json]).toEqual([403, needs(shown[event])]);
    expect((await read(await program('webhooks:read', shown[event]))).json.body).toContain('"data"');
    expect((await read(token)).json.body).toContain('"data"');
  }
});

it('an event is subscribed to with the scope of what it tells, and its webhook is pointed elsewhere', async () => {
  const { token, program } = await start();
  const alone = await program('webhooks:write');
  const both = await program('webhooks:write', 'leads:write');
  const create = (as: string, event: string) =>
    app.request('POST', WEBHOOKS, { token: as, body: { event, target } });
  const events = {
    'chat.added': 'conversations:read',
    'message.added': 'conversations:read',
    'conversation.updated': 'conversations:read',
    'lead.added': 'leads:read',
    'lead.changed': 'leads:read',
    'keyword_notification.added': 'keywords:read',
  };
  for (const [event, scope] of Object.entries(events)) {
    const { status, json } = await create(alone, event);
    expect([event, status, json]).toEqual([event, 403, needs(scope)]);
  }
  const made = await create(both, 'lead.added');
  expect(made.status).toBe(201);
  const { json: messages } = await create(token, 'message.added');
  const elsewhere = { target: 'http://127.0.0.1:59999/' };
  const change = (as: string, uuid: string, body: object, method: 'PATCH' | 'PUT' = 'PATCH') =>
    app.request(method, `${WEBHOOKS}${uuid}/`, { token: as, body });
  for (const [uuid, body, scope] of [
    [made.json.uuid, { event: 'message.added' }, 'conversations:read'],
    [messages.uuid, elsewhere, 'conversations:read'],
    // What waits there is about messages.
    [messages.uuid, { event: 'lead.changed' }, 'conversations:read'],
  ] as const) {
    const { status, json } = await change(both, uuid, body);
    expect([body, status, json]).toEqual([body, 403, needs(scope)]);
  }
  const put = await change(both, messages.uuid, { event: 'lead.changed', ...elsewhere }, 'PUT');
  expect(put.status).toBe(403);
  expect((await change(both, made.json.uuid, elsewhere)).json).toMatchObject(elsewhere);
  expect((await change(alone, messages.uuid, {})).status).toBe(200);
  const { json: stored } = await app.request('GET', `${WEBHOOKS}${messages.uuid}/`, { token: alone });
  expect(stored).toMatchObject({ event: 'message.added', target });
});

it('what a webhook has heard before is sent nowhere else without its scope, and not once more', async () => {
  const { token, program } = await start();
  const messages = await program('webhooks:write', 'conversations:read');
  const all = await program('webhooks:write', 'conversations:read', 'leads:read');
  const { json: webhook } = await app.request('POST', WEBHOOKS, {
    token,
    body: { event: 'lead.added', target },
  });
  const path = `${WEBHOOKS}${webhook.uuid}/`;
  await app.request('POST', '/api/v1/leads/', { token, body: { nickname: 'Berta' } });
  const log = () => app.request('GET', `${path}deliveries/`, { token: messages });
  await vi.waitFor(async () => expect((await log()).json).toHaveLength(1), { timeout: 60_000 });
  const [{ id }] = (await log()).json;
  const change = (as: string, body: object, method: 'PATCH' | 'PUT' = 'PATCH') =>
    app.request(method, path, { token: as, body });
  for (const event of ['chat.added', 'message.added']) {
    expect((await change(token, { event })).status).toBe(200);
  }
  const elsewhere = { target: 'http://127.0.0.1:59999/' };
  for (const refused of [
    await change(messages, elsewhere),
    await change(messages, { event: 'message.added', ...elsewhere }, 'PUT'),
    await app.request('POST', `/api/v1/deliveries/${id}/redeliver/`, { token: messages }),
    await app.request('POST', `${path}deliveries/${id}/redeliver/`, { token: messages }),
  ]) {
    expect([refused.status, refused.json]).toEqual([403, needs('leads:read')]);
  }
  expect((await log()).json).toMatchObject([{ id, webhook: { target } }]);
  // What changes nothing of where it goes takes what it tells now.
  expect((await change(messages, { event: 'conversation.updated' })).status).toBe(200);
  expect((await change(all, elsewhere)).json).toMatchObject(elsewhere);
  const again = await app.request('POST', `/api/v1/deliveries/${id}/redeliver/`, { token: all });
  expect(again.status).toBe(202);
});
