import { expect, it, vi } from 'vitest';
import { testAgent } from '../../../test/agent.ts';
import { testApp } from '../../../test/app.ts';
import { type Line, movedAccounts } from '../../../test/moved-accounts.ts';
import { png } from '../../../test/pictures.ts';
import { deleteAccount } from './account-data.ts';

const app = testApp({ WEBHOOK_RETRY_DELAYS: '1h' });
const { accountOf, exported, read } = movedAccounts(app);

/** Two code units, four bytes, and a code point; and what becomes three of two each by NFC. */
const wide = (length: number) => '😀'.repeat(length);
const expanding = (length: number) => '\u{1d160}'.repeat(Math.floor(length / 3));
const plain = (length: number) => 'x'.repeat(length);
/** As many marks as may follow each other, again and again. */
const marked = (length: number) => `a${'\u0315\u0300'.repeat(15)}`.repeat(Math.floor(length / 31));

const address = (length: number) => `https://example.com/${plain(length - 20)}`;
const mail = () => `${plain(64)}@${`${plain(61)}.`.repeat(2)}${plain(57)}.example`;

const WIDGET = {
  ...{ name: wide(200), domain: address(2_000), logo_large: address(2_000), bot_avatar: address(2_000) },
  ...{ greeting_message: wide(1_000), contact_message: marked(1_000), header_title: expanding(200) },
  ...{ header_subtitle: wide(200), chat_subtitle: wide(200), start_button_caption: wide(200) },
  ...{ name_placeholder: wide(200), email_placeholder: wide(200), phone_placeholder: wide(200) },
  ...{ message_placeholder: wide(200), color: '#aabbccdd', popup_timeout: 86_400, is_bot_use: true },
};

const id = (n: number) => `${n}`.padStart(64, '0');

/** A graph with each node at its largest, and what is wrong with it: most edges lead to nowhere, or round. */
const NODES = [
  { id: id(0), type: 'start', greeting: wide(4_000), next: id(1) },
  ...[1, 2, 3, 4].map((n) => ({ id: id(n), type: 'message', text: '{{a}}{{a}}', next: id(n + 1) })),
  {
    ...{ id: id(5), type: 'question', text: wide(4_000), save_as: wide(40), validate: 'choice' },
    ...{ choices: [wide(200)], retry_text: marked(4_000), max_retries: 20, next: id(6) },
  },
  {
    ...{ id: id(6), type: 'condition', else: id(7) },
    branches: Array.from({ length: 50 }, () => ({
      ...{ variable: wide(40), operator: 'equals', value: marked(300), next: wide(64) },
    })),
  },
  {
    ...{ id: id(7), type: 'faq', threshold: 1, on_miss: id(8) },
    entries: [{ questions: [wide(500), marked(500)], answer: marked(10_000) }],
  },
  { id: id(8), type: 'llm', prompt: marked(20_000), model: wide(200), max_tokens: 100_000, temperature: 2 },
  { id: id(9), type: 'lead', fields: { nickname: wide(1_000) }, next: id(10) },
  ...Array.from({ length: 80 }, (_, n) => ({
    ...{ id: id(n + 10), type: 'message', text: 'a', next: id(n === 79 ? 10 : n + 11) },
  })),
];

/** What the bot is told of whoever starts: 50 names of 40 characters, with 500 each. */
const METADATA = Object.fromEntries([
  ['a', wide(500)],
  ...Array.from({ length: 49 }, (_, n) => [`${plain(38)}${n}`.slice(-40), wide(500)]),
]);

/** An account whose objects are as long as its API takes them. */
const longest = async () => {
  const agent = await testAgent(app, NODES, { name: wide(200), is_room_bot: true });
  const { token, widget } = agent.account;
  const post = async (path: string, body: object, as: object = { token }, method = 'POST') => {
    const answer = await app.request(method, `/api/v1/${path}`, { ...as, body });
    expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text]);
    return answer.json;
  };
  const events = ['chat.added', 'message.added', 'lead.added'];
  for (const event of events)
    await post('webhooks/', { event, target: `http://127.0.0.1:8/${plain(1_979)}` });
  await post(`widgets/${widget}/`, WIDGET, { token }, 'PATCH');
  await post('members/me/', { name: wide(100) }, { token }, 'PATCH');
  await app.request('PUT', '/api/v1/members/me/avatar/', { token, body: png() });
  await post('members/', { email: mail(), name: marked(100) });
  await post('tokens/', { name: marked(100), scopes: ['leads:read', 'audit:read'] });
  await post('keywords/', { keyword: `${plain(69)}${marked(31)}` });
  await post('keywords/', { keyword: '\ufdfa'.repeat(5) });
  const tags = Array.from({ length: 20 }, (_, n) => `${n}`.padStart(40, 't'));
  await post('replies/', { name: wide(100), shortcut: plain(32), body: wide(10_000), tags, status: 'done' });
  const room = await post('rooms/', { name: wide(200), label: plain(64), rating: 5, is_bot_use: true });
  const contact = { nickname: wide(150), email: mail(), phone_number: '0'.repeat(32) };
  for (const body of [
    wide(10_000),
    expanding(10_000),
    marked(10_000),
    '\u0001'.repeat(10_000),
    plain(69) + marked(31),
  ])
    await post('messages/', { ...contact, body, room: { uuid: room.uuid } });
  const page = { url: address(2_000), title: wide(300), referrer: address(2_000) };
  const lead = { ...contact, device: wide(200), from_page_title: wide(300), referrer: address(2_000) };
  await post('leads/', lead);
  const { token: visitor } = await post(`widgets/${widget}/sessions/`, { page, locale: plain(35) }, {});
  await post('leads/', lead, { visitor });
  await vi.waitFor(async () => post(`conversations/${room.uuid}/`, { tags }, { token }, 'PATCH'), 10_000);
  await post(`conversations/${room.uuid}/notes/`, { body: wide(10_000) });
  await agent.open(METADATA);
  return agent.account;
};

/** A target's answer, in whatever characters; what a bot has said, as one text. */
const asServersWrite = async (account: string): Promise<void> => {
  const { deliveries, messages } = app.services.models;
  const attempt = { at: new Date(), status: 599, duration_ms: 0.1, error: '\0'.repeat(200) };
  const response = `\0${'\u0315\u0300'.repeat(255)}`;
  await deliveries.updateMany({ account }, { $set: { attempts: [{ ...attempt, response }], tries: 1 } });
  const answer = Array(26).fill(plain(10_000)).join('\n\n');
  await messages.updateOne({ account, is_support_sender: false }, { $set: { support_answer: answer } });
};

/** What nothing goes on to change. */
const STILL = [
  ...['widgets', 'workflows', 'graphs', 'keywords', 'messages', 'leads', 'notes', 'replies', 'tagNames'],
  ...['conversationEvents', 'notifications', 'webhooks', 'audit', 'avatars', 'tokens'],
];

const objects = (lines: readonly Line[]) =>
  Object.fromEntries(
    STILL.map((kind) => [
      kind,
      lines.flatMap((line) => line[kind] ?? []).sort((one, other) => (one._id < other._id ? -1 : 1)),
    ]),
  );

it('goes out and in again with each field at its longest', { timeout: 120_000 }, async () => {
  const { id: account } = await longest();
  const { username } = await app.services.accounts.byId(account);
  // What follows from a message comes by itself.
  await vi.waitFor(
    async () => {
      const { conversationEvents, deliveries, notifications } = app.services.models;
      expect(await conversationEvents.countDocuments({ account })).toBeGreaterThan(0);
      expect(await deliveries.countDocuments({ account, tries: 1 })).toBeGreaterThan(0);
      expect(await notifications.countDocuments({ account })).toBeGreaterThan(0);
    },
    { timeout: 30_000 },
  );
  await asServersWrite(account);
  const lines = await exported(username);
  const given = objects(lines);
  expect(Object.entries(given).filter(([, { length }]) => length === 0)).toEqual([]);
  await deleteAccount(app.services, (await accountOf(username))._id);
  await app.services.accountDeletion.finish(account);
  expect(await read(lines)).toBe(username);
  expect(objects(await exported(username))).toEqual(given);
});
