import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { spawnCommand } from './command-line.ts';
import { startSlowServer } from './fault-points.ts';
import { caller, owner } from './rest.ts';
import { serverSettings, startServerProcess } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { startReceiver, until } from './webhooks-parts.ts';

type Settings = Record<string, string>;

const MESSAGES = 5;

const MAKING_DELIVERIES = { collection: 'deliveries', method: 'bulkWrite' };

const parlor = (settings: Settings, ...args: string[]) => spawnCommand(settings, args).result;

/** A server with an account whose conversation is done, and which wants to know of messages and of refunds. */
const startedServer = async (settings: Settings, target: string) => {
  const server = await startServerProcess(settings);
  const { rest, token, widget } = await owner(server.url);
  const add = async (keyword: string) => (await rest('POST', '/api/v1/keywords/', { keyword })).json.uuid;
  await add('refund');
  const keyword = (await add('invoice')) as string;
  for (const event of ['message.added', 'keyword_notification.added'])
    expect((await rest('POST', '/api/v1/webhooks/', { event, target })).status).toBe(201);
  const session = (await caller(server.url)('POST', `/api/v1/widgets/${widget}/sessions/`, {})).json;
  const room = session.room.uuid as string;
  const path = `/api/v1/conversations/${room}/`;
  await caller(server.url, `Visitor ${session.token}`)('POST', '/api/v1/messages/', {
    body: 'hello',
    room: { uuid: room },
  });
  await until(async () => (await rest('GET', '/api/v1/deliveries/')).json.length === 1);
  await until(async () => (await rest('PATCH', path, { status: 'done', is_unread: false })).status === 200);
  await until(async () => (await rest('GET', '/api/v1/audit/')).json.length > 0);
  return { server, token, visitor: session.token as string, room, keyword };
};

/** What follows from the messages, as the account's people see it. */
const followed = async (url: string, token: string, room: string) => {
  const rest = caller(url, `Token ${token}`);
  const list = async (path: string) => (await rest('GET', path)).json as any[];
  const conversation = (await rest('GET', `/api/v1/conversations/${room}/`)).json;
  const events = (await list('/api/v1/deliveries/?limit=100')).map(({ event }) => event as string);
  const audited = (await list('/api/v1/audit/?limit=100')).map(({ action }) => action as string);
  return {
    conversation: [conversation.status, conversation.is_unread],
    messages: events.filter((event) => event === 'message.added').length,
    notifications: (await list('/api/v1/keyword_notifications/?limit=100')).length,
    toldOf: events.filter((event) => event === 'keyword_notification.added').length,
    audited: audited.filter((action) => action.endsWith('Keyword')).sort(),
    reopenings: (await list(`/api/v1/conversations/${room}/timeline/`)).filter(({ changes = [] }) =>
      changes.some(({ field, to }: any) => field === 'status' && to === 'open'),
    ).length,
  };
};

const ALL = {
  conversation: ['open', true],
  messages: 1 + MESSAGES,
  notifications: MESSAGES,
  toldOf: MESSAGES,
  audited: ['createKeyword', 'createKeyword', 'createKeyword', 'deleteKeyword'],
  reopenings: 1,
};

describe.skipIf(inject('isRealMongodb'))('an export after a kill -9', { timeout: 180_000 }, () => {
  it.each(['on the stopped server', 'beside the next one'])(
    'holds all that follows from what was acknowledged: %s',
    async (where) => {
      const receiver = await startReceiver();
      const settings: Settings = { ...(await serverSettings()), RATE_LIMIT: 'off', LOG_LEVEL: 'error' };
      const made = await startedServer(settings, receiver.url);
      const { token, visitor, room, keyword } = made;
      await until(() => receiver.hits.length === 1);
      await made.server.end('SIGTERM');

      // Its first round never ends, so that nothing follows from what it acknowledges.
      const slow = await startSlowServer(settings, { ...MAKING_DELIVERIES, ms: 600_000 });
      const rest = caller(slow.url, `Token ${token}`);
      for (let i = 0; i < MESSAGES; i++) {
        const said = { body: `a refund, ${i}`, room: { uuid: room } };
        const { status } = await caller(slow.url, `Visitor ${visitor}`)('POST', '/api/v1/messages/', said);
        expect(status).toBe(201);
      }
      expect((await rest('POST', '/api/v1/keywords/', { keyword: 'order' })).status).toBe(201);
      expect((await rest('DELETE', `/api/v1/keywords/${keyword}/`)).status).toBe(204);
      await slow.end('SIGKILL');

      const folder = await temporaryFolder();
      const file = join(folder, 'ada.jsonl');
      const DATA_DIR = join(folder, 'copy');
      await cp(settings.DATA_DIR ?? '', DATA_DIR, {
        recursive: true,
        filter: (path) => !path.endsWith('.sock'),
      });
      const source = { ...settings, DATA_DIR };
      const isBeside = where === 'beside the next one';
      if (isBeside) await startSlowServer(source, { ...MAKING_DELIVERIES, ms: 2_000 });
      const before = receiver.hits.length;
      expect(await parlor(source, 'export', 'ada', file)).toMatchObject({ code: 0, err: '' });
      if (!isBeside) expect(receiver.hits.length).toBe(before);

      const other = { ...(await serverSettings()), RATE_LIMIT: 'off' };
      const there = isBeside ? await startServerProcess(other) : undefined;
      expect(await parlor(other, 'import', file)).toEqual({ code: 0, out: 'imported ada\n', err: '' });
      const target = there ?? (await startServerProcess(other));
      expect(await followed(target.url, token, room)).toEqual(ALL);
      // Those that waited go out from there; one that the server beside the export has sent comes under the same id.
      const ids = () => new Set(receiver.hits.map(({ headers }) => headers['webhook-id'])).size;
      await until(() => ids() === 1 + 2 * MESSAGES);
    },
  );
});
