import { randomInt, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, createConnection } from 'mongoose';
import { expect, it, onTestFinished, vi } from 'vitest';
import { roomLabelOf } from '../src/features/agent/conversations.service.ts';
import { spawnCommand } from './command-line.ts';
import { documentsWith } from './everything.ts';
import { fieldsWith, unerased, visitorFields } from './held-words.ts';
import { confirmByMail, linkOf } from './mailed-account.ts';
import { connect } from './realtime-client.ts';
import { owner } from './rest.ts';
import { serverSettings, startServerProcess } from './server-process.ts';
import { startSmtpReceiver } from './smtp-receiver.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

const PATIENCE = { timeout: 60_000, interval: 100 };

/** A text that stands nowhere by chance, for each kind of field. */
const makeCanary = () => {
  const word = `canary${randomUUID().slice(0, 8)}`;
  const phone = `0${randomInt(10 ** 11, 10 ** 12)}`;
  return { word, phone, email: `${word}@example.com`, pattern: new RegExp(`${word}|${phone}`, 'i') };
};

/** Fields of a visitor in which no word can stand, each with the reason. */
const HOLD_NO_WORD: Readonly<Record<string, string>> = {
  'idempotency.request': 'a hash of the request',
  'inbox.rating': 'a number',
  'rooms.rating': 'a number',
  'searchSegments.keys': 'hashes of what words begin with',
};

/** What is not the visitor's though its request or conversation brought it, and stays, each with the reason. */
const STAYS: Readonly<Record<string, string>> = {
  'sightings.origin': 'the address of a site that the widget is on (docs/contract.md#widget)',
  'tagNames.names': "the account's words, as saved replies are (docs/contract.md#conversation)",
};

/** Events wait in a document for moments only: features/erasure/late-events.test.ts holds them up. */
const isSettled = (field: string): boolean => !field.endsWith('.events');

/** The files of a folder, and of those in it, in whose bytes a text stands. */
const filesWith = async (folder: string, pattern: RegExp): Promise<string[]> => {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && pattern.test(await readFile(file, 'latin1'))) found.push(file.slice(folder.length));
  }
  return found;
};

/** A server process, and a connection of the test's own to its database. */
const startWithDatabase = async (env: Record<string, string>) => {
  const settings = await serverSettings();
  const socket = `${settings.DATA_DIR}/listen.sock`;
  const listen = settings.DATA_DIR && { EMBEDDED_MONGODB_LISTEN: socket };
  const server = await startServerProcess({ ...settings, ...listen, ...env });
  const url = settings.MONGODB_URL ?? `mongodb://${encodeURIComponent(socket)}/parlor`;
  const connection = await createConnection(url, { autoIndex: false, autoCreate: false }).asPromise();
  onTestFinished(() => connection.close());
  return { settings, server, connection };
};

/** A notification as an older version kept it, with copies of the words; beside one that was raised. */
const addEarlierNotification = async (
  connection: Connection,
  { nickname, email, body }: Record<'nickname' | 'email' | 'body', string>,
): Promise<void> => {
  const notifications = connection.collection<{ _id: string }>('keywordnotifications');
  const raised = await vi.waitFor(async () => {
    const found = await notifications.findOne({ events: { $exists: false } });
    if (!found) throw new Error('none was raised');
    return found;
  }, PATIENCE);
  const { _id, messages, ...rest } = raised as typeof raised & { messages: unknown };
  const transcripts = [{ nickname, body, is_support_sender: false, sent_at: new Date().toISOString() }];
  const words = { customer_request: body, nickname, email, transcripts };
  await notifications.insertOne({ ...rest, _id: randomUUID(), ...words });
};

/** Asks workflow questions, keeps the answers and saves them as a lead. */
const NODES = [
  { id: 's', type: 'start', greeting: 'Hello {{name}}', next: 'q' },
  { id: 'q', type: 'question', text: 'Who are you?', save_as: 'who', next: 'l' },
  { id: 'l', type: 'lead', fields: { nickname: '{{who}}', email: '{{mail}}' }, next: 'm' },
  { id: 'm', type: 'message', text: 'Thank you, {{who}}.', next: 'q' },
];

it('leaves no word of a visitor, a deleted room or a deleted lead anywhere', async () => {
  const { word, phone, email, pattern } = makeCanary();
  const staying = makeCanary();
  const smtp = await startSmtpReceiver();
  onTestFinished(() => smtp.close());
  const { settings, server, connection } = await startWithDatabase({
    SMTP_URL: smtp.url,
    LOG_LEVEL: 'trace',
    WEBHOOK_RETRY_DELAYS: Array(20).fill('3s').join(),
    REGISTRATION: 'open',
  });
  const { rest, token, widget } = await owner(server.url);
  await confirmByMail(smtp, 'ada@example.com');
  // It quotes what it refuses, at first for a while and then for good.
  let refused = 0;
  smtp.answer = ({ body }) => ({
    code: refused++ === 0 ? 451 : 554,
    text: `5.7.1 Refused as spam: "${pattern.exec(body)?.[0]}"`,
  });
  const target = await startWebhookReceiver();
  const broken = await startWebhookReceiver();
  const late = await startWebhookReceiver();
  // Fails for good, and ends the webhook.
  broken.answer = 410;
  broken.echoes = true;
  const events = ['chat.added', 'message.added', 'lead.added', 'lead.changed', 'keyword_notification.added'];
  for (const event of events) {
    await rest('POST', '/api/v1/webhooks/', { event, target: target.url });
  }
  await rest('POST', '/api/v1/webhooks/', { event: 'lead.changed', target: broken.url });
  await rest('POST', '/api/v1/keywords/', { keyword: 'refund' });
  const workflow = await rest('POST', '/api/v1/workflows/', {
    name: 'Bot',
    is_published: true,
    nodes: NODES,
  });
  expect(workflow.status).toBe(201);
  await rest('PATCH', `/api/v1/widgets/${widget}/`, { is_bot_use: true });

  /** A request that may say anything, as a visitor, an agent's caller or the owner. */
  const ask = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const answer = await fetch(server.url + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
  };
  const key = () => ({ 'Idempotency-Key': randomUUID() });
  // What a browser says of itself with each request.
  const browser = {
    'User-Agent': `${word}/1.0`,
    'Sec-CH-UA': `"${word}";v="1"`,
    'Sec-CH-UA-Platform': `"${word}"`,
    'Accept-Language': `en-${word}`,
    Cookie: `${word}=${word}`,
    Origin: `https://${word}.test`,
    Referer: `https://${word}.test/${word}`,
  };
  const path = `/api/v1/widgets/${widget}/sessions/`;
  const page = { url: `https://x.test/${word}`, title: word, referrer: `https://r.test/?q=${word}` };
  const opened = await ask('POST', path, browser, { page, locale: `en-${word}` });
  expect(opened.status).toBe(201);
  const { uuid: room, label } = opened.json.room;
  const visitor = { ...browser, Authorization: `Visitor ${opened.json.token}` };
  const asOwner = { Authorization: `Token ${token}` };
  const live = await connect(server.url, { visitor: opened.json.token });

  const message = { nickname: word, email, phone_number: phone, room: { uuid: room } };
  for (const body of [`refund ${word}`, `I am ${word}`]) {
    const sent = await ask('POST', '/api/v1/messages/', { ...visitor, ...key() }, { ...message, body });
    expect(sent.status, sent.text).toBe(201);
  }
  const lead = { nickname: word, email, phone_number: phone };
  const left = await ask('POST', '/api/v1/leads/', { ...visitor, ...key() }, lead);
  expect(left.status, left.text).toBe(201);
  await ask('PATCH', `/api/v1/leads/${left.json.uuid}/`, visitor, { nickname: `${word} again` });
  await ask('PATCH', `/api/v1/rooms/${label}/`, asOwner, { name: `Talk with ${word}` });
  live.send({ type: 'typing', room, is_typing: true });
  const said = { body: `Dear ${word}`, is_support_sender: true, room: { uuid: room } };
  await ask('POST', '/api/v1/messages/', { ...asOwner, ...key() }, said);
  // What stays: where the widget is, and a tag.
  const site = { Origin: `https://${staying.word}.test` };
  const seen = await ask('GET', `/api/v1/widgets/?token=${widget}`, { ...browser, ...site });
  expect(seen.status, seen.text).toBe(200);
  // What members write about the visitor.
  const inbox = `/api/v1/conversations/${room}`;
  const tagged = await ask('PATCH', `${inbox}/`, asOwner, { tags: [staying.word] });
  expect(tagged.status, tagged.text).toBe(200);
  const noted = await ask('POST', `${inbox}/notes/`, { ...asOwner, ...key() }, { body: `Call ${word}` });
  expect(noted.status, noted.text).toBe(201);
  await ask('PATCH', `${inbox}/notes/${noted.json.uuid}/`, asOwner, { body: `Call ${word} now` });
  const draft = await ask('PUT', `${inbox}/draft/`, asOwner, { body: `Dear ${word}` });
  expect(draft.status, draft.text).toBe(200);
  // Where something goes wrong.
  for (const [wrong, body] of [
    ['/api/v1/messages/', `{"body": "${word}`],
    ['/api/v1/messages/', { body: { [word]: word } }],
    [`/api/v1/${word}/`, { word }],
    ['/api/v1/leads/', { ...lead, email: word }],
  ] as const) {
    expect((await ask('POST', wrong, visitor, body)).status).toBeGreaterThan(399);
  }

  // A conversation over the agent API, and a lead of the owner's own.
  const agent = { 'X-API-Key': workflow.json.public_key };
  const metadata = { name: word, mail: email };
  const begun = await ask('POST', '/api/v1/public/conversations/start', { ...agent, ...key() }, { metadata });
  expect(begun.status, begun.text).toBe(200);
  const { conversationId } = begun.json;
  const talk = `/api/v1/public/conversations/${conversationId}/messages`;
  for (const text of [`refund for ${word}`, word]) {
    const answered = await ask('POST', talk, { ...agent, ...key() }, { message: text });
    expect(answered.status, answered.text).toBe(200);
  }
  const own = await ask('POST', '/api/v1/leads/', { ...asOwner, ...key() }, lead);
  expect(own.status, own.text).toBe(201);
  await addEarlierNotification(connection, { nickname: word, email, body: word });
  // One subscriber is well only when the visitor has been erased: what waits for it is still sent.
  late.answer = 503;

  const found = () => documentsWith({ connection }, pattern);
  await vi.waitFor(async () => {
    const deliveries = (await found()).filter((text) => text.startsWith('deliveries'));
    expect(deliveries.filter((text) => text.includes('"state":"failed"')).length).toBe(1);
    expect(deliveries.filter((text) => text.includes('"state":"delivered"')).length).toBeGreaterThan(4);
    expect(smtp.tried.length).toBeGreaterThan(1);
    expect(await connection.collection('mails').countDocuments({ state: 'failed' })).toBeGreaterThan(0);
  }, PATIENCE);

  // By the map of data: wherever a visitor's words may stand they do, and nowhere else.
  const written = new RegExp(`${pattern.source}|${staying.word}`, 'i');
  await vi.waitFor(async () => {
    const held = await fieldsWith(connection, written);
    const without = visitorFields(connection).filter((field) => isSettled(field) && !held.includes(field));
    expect(without).toEqual(Object.keys(HOLD_NO_WORD).sort());
    expect(unerased(connection, held)).toEqual(Object.keys(STAYS).sort());
  }, PATIENCE);

  const { DATA_DIR } = settings;
  if (DATA_DIR) expect(await filesWith(DATA_DIR, pattern)).toEqual(['/database/data.mdb']);

  const hook = await rest('POST', '/api/v1/webhooks/', { event: 'message.added', target: late.url });
  await ask('POST', '/api/v1/messages/', visitor, { ...message, body: `The last word of ${word}` });
  await vi.waitFor(() => expect(late.received.length).toBeGreaterThan(0), PATIENCE);
  expect((await ask('DELETE', path, visitor)).status).toBe(204);
  late.answer = 200;
  expect((await ask('DELETE', `/api/v1/rooms/${roomLabelOf(conversationId)}/`, asOwner)).status).toBe(204);
  const leads = await rest('GET', '/api/v1/leads/');
  for (const { uuid } of leads.json) {
    expect((await ask('DELETE', `/api/v1/leads/${uuid}/`, asOwner)).status).toBe(204);
  }

  await vi.waitFor(async () => expect(await found()).toEqual([]), PATIENCE);
  expect((await fieldsWith(connection, staying.pattern)).filter(isSettled)).toEqual(
    Object.keys(STAYS).sort(),
  );
  expect(late.received.at(-1)?.body).toContain(`The last word of ${word}`);
  const sent = (await rest('GET', `/api/v1/deliveries/?webhook=${hook.json.uuid}&state=delivered`)).json;
  expect(sent.at(-1).attempts.map(({ status }: { status: number }) => status)).toContain(200);
  // What is kept says that there was something, and can't be sent again.
  const log = (await rest('GET', '/api/v1/deliveries/?event=message.added')).json;
  expect(log.length).toBeGreaterThan(0);
  expect(await rest('POST', `/api/v1/deliveries/${log.at(-1).id}/redeliver/`)).toEqual({
    status: 409,
    json: { detail: 'What this delivery said has been erased.' },
  });
  expect(await rest('GET', `/api/v1/deliveries/${log.at(-1).id}/body/`)).toEqual({
    status: 200,
    json: { body: null },
  });
  expect((await server.end('SIGTERM')).code).toBe(0);
  const lines = server.stderr().split('\n');
  expect(lines.length).toBeGreaterThan(10);
  const [, secret = ''] = linkOf(smtp.mails[0]).split('=');
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  expect(lines.filter((line) => pattern.test(line) && !line.includes(`/api/v1/${word}/`))).toEqual([]);
  if (!DATA_DIR) return;

  // Free pages keep what was deleted, until compaction leaves them out.
  await connection.close();
  const compacted = await spawnCommand({ DATA_DIR }, ['database', 'compact']).result;
  expect([compacted.code, compacted.err]).toEqual([0, '']);
  expect(await filesWith(DATA_DIR, pattern)).toEqual([]);
}, 300_000);
