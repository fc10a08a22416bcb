import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Answer, type RequestOptions, testApp } from '../../test/app.ts';
import { conversationsOf } from '../../test/inbox.ts';
import { testMembers } from '../../test/members.ts';
import { KeyedMutex } from '../platform/keyed-mutex.ts';

/** What waits for its turn at one document, as behind a thousand other changes of it. */

const app = testApp();
const people = testMembers(app);
const { visit } = conversationsOf(app);
const PATIENCE = { timeout: 30_000, interval: 20 };

interface Change extends RequestOptions {
  method: 'PATCH' | 'PUT' | 'POST';
  path: string;
  /** What is in the name of the line that it waits in. */
  line: string;
}

/** Lets no change of a document begin, until it is opened. */
const holdChanges = () => {
  const { run } = KeyedMutex.prototype;
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const held: string[] = [];
  const spy = vi.spyOn(KeyedMutex.prototype, 'run').mockImplementation(async function (
    this: KeyedMutex,
    ...[name, task]
  ) {
    held.push(name);
    await opened;
    return run.call(this, name, task) as never;
  });
  onTestFinished(() => spy.mockRestore());
  return { held, open, letOthersPass: () => spy.mockRestore() };
};

const ask = ({ method, path, line: _, ...options }: Change) =>
  app.request(method, `/api/v1/${path}`, options);

/** Makes `changes`, and `meanwhile` while each waits for its turn, for more than a second. */
const whileTheyWait = async (changes: readonly Change[], meanwhile: () => Promise<Answer>) => {
  const { held, open, letOthersPass } = holdChanges();
  const asked = changes.map(ask);
  const waits = ({ line }: Change) => held.some((name) => name.includes(line));
  await vi.waitFor(() => expect(changes.filter((one) => !waits(one))).toEqual([]), PATIENCE);
  letOthersPass();
  expect((await meanwhile()).status).toBeLessThan(300);
  const { now } = performance;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 2_000);
  onTestFinished(() => clock.mockRestore());
  open();
  return Promise.all(asked);
};

let owner: Awaited<ReturnType<typeof app.account>>;
let conversation: Awaited<ReturnType<typeof visit>>;
let lead: string;
let objects: { webhook: string; workflow: string; widget: string; reply: string };

const make = async (path: string, body: object): Promise<string> =>
  (await app.request('POST', `/api/v1/${path}/`, { token: owner.token, body })).json.uuid;

beforeEach(async () => {
  owner = await app.account();
  conversation = await visit(owner.widget, owner.token);
  const { visitor } = conversation;
  const left = await app.request('POST', '/api/v1/leads/', { visitor, body: { nickname: 'Ada' } });
  lead = left.json.uuid;
  objects = {
    webhook: await make('webhooks', { event: 'message.added', target: 'https://own.example.com/' }),
    workflow: await make('workflows', { name: 'Bot' }),
    widget: (await app.request('GET', '/api/v1/widgets/', { token: owner.token })).json[0].uuid,
    reply: await make('replies', { name: 'Hello', shortcut: 'hello', body: 'Hello' }),
  };
});

/** Changes of what belongs to the account, as admins may make them. */
const ofAccount = (token: string): Change[] => {
  const change = (path: string, line: string, body: object): Change => {
    return { method: 'PATCH', path, line, token, body };
  };
  const { webhook, workflow, widget, reply } = objects;
  return [
    change(`webhooks/${webhook}/`, webhook, { target: 'https://evil.example.com/' }),
    change(`workflows/${workflow}/`, workflow, { name: 'Evil' }),
    change(`widgets/${owner.widget}/`, widget && owner.widget, { name: 'Evil' }),
    change(`replies/${reply}/`, reply, { body: 'Evil' }),
  ];
};

/** Changes of what members see by its widget. */
const ofConversation = (token: string, member: string, note: string): Change[] => {
  const { uuid, label } = conversation;
  const own = `conversations/${uuid}/`;
  return [
    { method: 'PATCH', path: `leads/${lead}/`, line: lead, token, body: { nickname: 'Eve' } },
    { method: 'PATCH', path: `rooms/${label}/`, line: label, token, body: { name: 'Evil' } },
    { method: 'PATCH', path: own, line: `"_id":"${uuid}","account"`, token, body: { tags: ['evil'] } },
    { method: 'PATCH', path: `${own}notes/${note}/`, line: note, token, body: { body: 'Evil' } },
    { method: 'PUT', path: `${own}draft/`, line: `${uuid} ${member}`, token, body: { body: 'Evil' } },
  ];
};

const noteOf = async (token: string): Promise<string> => {
  const path = `/api/v1/conversations/${conversation.uuid}/notes/`;
  return (await app.request('POST', path, { token, body: { body: 'Mine' } })).json.uuid;
};

/** All documents in which one of the changes above says something. */
const changed = async (): Promise<string[]> => {
  const all = await Promise.all(
    Object.values(app.services.models).map(async (model) =>
      (await (model as typeof app.services.models.rooms).find({}).lean()).map((one) => JSON.stringify(one)),
    ),
  );
  return all.flat().filter((text) => text.includes(owner.id) && /evil|"Eve"/i.test(text));
};

describe('a change that waited for its turn', () => {
  it('is refused to an admin that has been removed, and not made', async () => {
    const { token, uuid } = await people.member(owner.token, 'admin');
    const note = await noteOf(token);
    const own: Change = { method: 'PATCH', path: 'members/me/', line: uuid, token, body: { name: 'Evil' } };
    const changes = [...ofAccount(token), ...ofConversation(token, uuid, note), own];
    const answers = await whileTheyWait(changes, () => people.remove(owner.token, uuid));
    for (const [at, { status }] of answers.entries())
      expect([changes[at]?.path, status]).toEqual([changes[at]?.path, 401]);
    expect(await changed()).toEqual([]);
  });

  it('is refused to the holder of a token that was reset, and not made', async () => {
    const { token, uuid, username } = await people.member(owner.token, 'admin');
    const note = await noteOf(token);
    const own: Change = { method: 'PATCH', path: 'members/me/', line: uuid, token, body: { name: 'Evil' } };
    const changes = [...ofAccount(token), ...ofConversation(token, uuid, note), own];
    const answers = await whileTheyWait(changes, () => people.signIn(username, { reset_token: true }));
    for (const [at, { status }] of answers.entries())
      expect([changes[at]?.path, status]).toEqual([changes[at]?.path, 401]);
    expect(await changed()).toEqual([]);
  });

  it('is refused to a member whose role may not make it any more', async () => {
    const { token, uuid } = await people.member(owner.token, 'admin');
    const changes = ofAccount(token);
    const demote = () => people.change(owner.token, uuid, { role: 'operator' });
    const answers = await whileTheyWait(changes, demote);
    const fresh = await Promise.all(changes.map(ask));
    expect(answers.map(({ status }) => status)).toEqual(fresh.map(({ status }) => status));
    expect(answers.filter(({ status }) => status === 403).length).toBeGreaterThanOrEqual(3);
  });

  it('of what its member does not see any more is a 404, and not made', async () => {
    const other = await make('widgets', { name: 'Other' });
    const { token, uuid } = await people.member(owner.token, 'operator');
    const changes = ofConversation(token, uuid, await noteOf(token));
    const restrict = () => people.change(owner.token, uuid, { widgets: [other] });
    const answers = await whileTheyWait(changes, restrict);
    for (const [at, { status }] of answers.entries())
      expect([changes[at]?.path, status]).toEqual([changes[at]?.path, 404]);
    expect(await changed()).toEqual([]);
  });

  it('is refused to a visitor that has been erased', async () => {
    const { visitor, label } = conversation;
    const changes: Change[] = [
      { method: 'PATCH', path: `rooms/${label}/`, line: label, visitor, body: { rating: 5 } },
      { method: 'PATCH', path: `leads/${lead}/`, line: lead, visitor, body: { nickname: 'Eve' } },
      { method: 'POST', path: 'leads/', line: lead, visitor, body: { nickname: 'Eve' } },
    ];
    const erase = () => app.request('DELETE', `/api/v1/widgets/${owner.widget}/sessions/`, { visitor });
    const answers = await whileTheyWait(changes, erase);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  });

  it('is not made by the rest of a bulk change whose member has been removed', async () => {
    const { token, uuid } = await people.member(owner.token, 'admin');
    const body = { uuids: [conversation.uuid], add_tags: ['evil'] };
    const line = `"_id":"${conversation.uuid}","account"`;
    const changes: Change[] = [{ method: 'POST', path: 'conversations/bulk/', line, token, body }];
    const [answer] = await whileTheyWait(changes, () => people.remove(owner.token, uuid));
    expect([answer?.status, await changed()]).toEqual([401, []]);
  });

  it('is made where nothing has changed', async () => {
    const { token, uuid } = await people.member(owner.token, 'admin');
    const changes = [...ofAccount(token), ...ofConversation(token, uuid, await noteOf(token))];
    const answers = await whileTheyWait(changes, () => people.me(owner.token));
    for (const [at, { status }] of answers.entries())
      expect([changes[at]?.path, status]).toEqual([changes[at]?.path, 200]);
    expect((await changed()).length).toBeGreaterThan(changes.length);
  });
});
