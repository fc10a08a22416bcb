import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { TestApp } from './app.ts';
import type { Operation } from './openapi.ts';
import { png } from './pictures.ts';

/** Objects of one account, one of each kind, for the operations to work on. */
export interface Fixtures {
  token: string;
  username: string;
  room: { uuid: string; label: string };
  /** Values for the parameters in paths, by the resource whose path it is. */
  ids: Record<string, string>;
  /** The secret that its owner has to confirm. */
  totpSecret: string;
  /** What accepts an invitation of it, once. */
  invitation: string;
  /** The public key of its workflow. */
  agentKey: string;
  visitor: {
    token: string;
    room: { uuid: string; label: string };
    lead: string;
    message: string;
    note: string;
  };
}

/** It says one thing, asks another, and waits. */
const WORKFLOW = {
  name: 'A workflow',
  is_published: true,
  nodes: [
    { id: 'hello', type: 'start', greeting: 'Hello!', next: 'ask' },
    { id: 'ask', type: 'question', text: 'What can we do for you?', save_as: 'wish', next: 'ask' },
  ],
};

/** What fixtures are made through: an app without a port, or a server behind a URL. */
export type Callable = Pick<TestApp, 'account' | 'request' | 'session'>;

/** Makes an account with one object of each kind. */
export const makeFixtures = async (app: Callable): Promise<Fixtures> => {
  const { token, username, widget } = await app.account();
  const post = async (path: string, body?: object, as: object = { token }) => {
    const answer = await app.request('POST', path, { ...as, body });
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };
  const webhook = await post('/api/v1/webhooks/', {
    event: 'chat.added',
    target: 'http://127.0.0.1:8/hook',
  });
  const room = await post('/api/v1/rooms/');
  const message = await post('/api/v1/messages/', { body: 'Hello', room: { uuid: room.uuid } });
  const lead = await post('/api/v1/leads/', { nickname: 'Ada' });
  const keyword = await post('/api/v1/keywords/', { keyword: `word ${randomUUID()}` });
  const reply = await post('/api/v1/replies/', { name: 'Hello', shortcut: 'hello', body: 'Hello!' });
  const workflow = await post('/api/v1/workflows/', WORKFLOW);
  const [version] = (await app.request('GET', `/api/v1/workflows/${workflow.uuid}/versions/`, { token }))
    .json;
  const agent = { headers: { 'x-api-key': workflow.public_key } };
  const { conversationId } = await post('/api/v1/public/conversations/start', {}, agent);
  const invited = await post('/api/v1/members/', { email: `${randomUUID().slice(0, 8)}@example.com` });
  await post('/api/v1/auth/session', { username, password: 'a long enough secret' }, {});
  const [session] = (await app.request('GET', '/api/v1/auth/sessions/', { token })).json;
  const totp = await post('/api/v1/auth/totp', { password: 'a long enough secret' });
  const picture = { token, body: png() };
  const { avatar } = (await app.request('PUT', '/api/v1/members/me/avatar/', picture)).json;
  const program = await post('/api/v1/tokens/', { name: 'A program', scopes: ['leads:read'] });
  const { visitor, room: reserved } = await app.session(widget);
  const hi = { body: 'Hi', room: { uuid: reserved.uuid } };
  const visitorMessage = await post('/api/v1/messages/', hi, { visitor });
  const visitorLead = await post('/api/v1/leads/', { nickname: 'A visitor' }, { visitor });
  const conversation = await conversationOf(app, token, room.uuid);
  await conversationOf(app, token, reserved.uuid);
  const noteIn = (uuid: string, body: string) =>
    post(`/api/v1/conversations/${uuid}/notes/`, { body }) as Promise<{ uuid: string }>;
  return {
    token,
    username,
    room: { uuid: room.uuid, label: room.label },
    ids: {
      rooms: room.label,
      messages: message.uuid,
      leads: lead.uuid,
      keywords: keyword.uuid,
      replies: reply.uuid,
      webhooks: webhook.uuid,
      workflows: workflow.uuid,
      versions: version.uuid,
      'conversations by conversation': conversationId,
      'conversations by uuid': conversation,
      notes: (await noteIn(conversation, 'A note')).uuid,
      widgets: widget,
      members: invited.uuid,
      avatars: avatar.split('/').at(-1),
      sessions: session.uuid,
      tokens: program.uuid,
      deliveries: await deliveryOf(app, token),
    },
    totpSecret: totp.secret,
    invitation: invited.invite_url.split('#token=')[1],
    agentKey: workflow.public_key,
    visitor: {
      token: visitor,
      room: reserved,
      lead: visitorLead.uuid,
      message: visitorMessage.uuid,
      note: (await noteIn(reserved.uuid, 'On a visitor')).uuid,
    },
  };
};

/** A room, once its conversation is there. */
const conversationOf = async (app: Callable, token: string, room: string): Promise<string> => {
  for (let wait = 0; wait < 200; wait++) {
    const { status } = await app.request('GET', `/api/v1/conversations/${room}/`, { token });
    if (status === 200) return room;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('a room has got no conversation');
};

/** The first delivery of an account's webhook, once it is in the log. */
const deliveryOf = async (app: Callable, token: string): Promise<string> => {
  for (let wait = 0; wait < 200; wait++) {
    const [first] = (await app.request('GET', '/api/v1/deliveries/', { token })).json;
    if (first) return first.id;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('no delivery came into the log');
};

/** After these the next operation would not find what it is about, or nobody would be let in: each needs objects of its own. */
export const isSpoiling = ({ id, method }: Operation): boolean =>
  ['PUT', 'DELETE'].includes(method) ||
  [
    'changeAccount',
    'changePassword',
    'confirmTotp',
    'deleteAccount',
    'disableTotp',
    'obtainToken',
    'rotateWorkflowKey',
    'changeWorkflow',
  ].includes(id);

/** The credential that an operation is described with: an account's where it takes one. */
export const credentialFor = ({ callers }: Operation, { token, visitor, agentKey }: Fixtures): object => {
  if (callers.includes('public')) return {};
  if (callers.includes('Token')) return { token };
  return callers.includes('Visitor') ? { visitor: visitor.token } : { headers: { 'x-api-key': agentKey } };
};

/** The objects, with notes or a program's token of whoever has this token where the operation is for who made them. */
export const withOwn = async (
  app: Pick<TestApp, 'request'>,
  { id }: Operation,
  objects: Fixtures,
  token: string,
): Promise<Fixtures> => {
  const { ids, room, visitor } = objects;
  if (id === 'deleteToken') {
    const program = { name: 'My own', scopes: ['conversations:read'] };
    const { uuid } = (await app.request('POST', '/api/v1/tokens/', { token, body: program })).json;
    return { ...objects, ids: { ...ids, tokens: uuid } };
  }
  if (id !== 'changeNote' && id !== 'deleteNote') return objects;
  const noteIn = async (uuid: string): Promise<string | undefined> => {
    const path = `/api/v1/conversations/${uuid}/notes/`;
    return (await app.request('POST', path, { token, body: { body: 'My own' } })).json.uuid;
  };
  const notes = (await noteIn(room.uuid)) ?? ids.notes ?? '';
  const note = (await noteIn(visitor.room.uuid)) ?? visitor.note;
  return { ...objects, ids: { ...ids, notes }, visitor: { ...visitor, note } };
};

/**
 * The path of an operation for the account's own objects, or for the visitor's, with a query where it needs one.
 */
export const pathFor = (
  { path, needs }: Operation,
  { ids, visitor }: Fixtures,
  asVisitor = false,
): string => {
  const query = new URLSearchParams(needs).toString();
  const filled = path.replace(/([a-z_]+)\/\{(\w+)\}/g, (_, resource: string, name: string) => {
    const { lead: leads, message: messages, note: notes, room } = visitor;
    const own: Record<string, string> = {
      rooms: room.label,
      messages,
      leads,
      notes,
      'conversations by uuid': room.uuid,
    };
    const valueIn = (values: Record<string, string>) => values[`${resource} by ${name}`] ?? values[resource];
    return `${resource}/${(asVisitor && valueIn(own)) || valueIn(ids)}`;
  });
  return query === '' ? filled : `${filled}?${query}`;
};

/** A path with one more parameter in its query. */
export const withQuery = (path: string, query: string): string =>
  query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** The example of an operation's body, or a picture where it takes bytes, with references that exist and names that are free. */
export const bodyFor = (
  { id, body, bytes }: Operation,
  fixtures: Fixtures,
  asVisitor = false,
): object | undefined => {
  if (bytes.length > 0) return png();
  if (!body) return undefined;
  const free = randomUUID().slice(0, 8);
  switch (id) {
    case 'createMessage':
      return { ...body, room: { uuid: (asVisitor ? fixtures.visitor.room : fixtures.room).uuid } };
    case 'register':
      return { ...body, username: `free-${free}`, email: `${free}@example.com` };
    case 'obtainToken':
      return { ...body, username: fixtures.username, password: 'a long enough secret' };
    case 'startSession':
      return { username: fixtures.username, password: 'a long enough secret' };
    case 'confirmTotp':
      return { code: new TOTP({ secret: Secret.fromBase32(fixtures.totpSecret) }).generate() };
    case 'beginTotp':
    case 'disableTotp':
      return { password: 'a long enough secret' };
    case 'changePassword':
      return { ...body, old_password: 'a long enough secret' };
    case 'inviteMember':
      return { ...body, email: `${free}@example.com` };
    case 'acceptInvitation':
      return { ...body, username: `free-${free}`, token: fixtures.invitation };
    case 'changeConversations':
      return { ...body, uuids: [fixtures.room.uuid] };
    case 'createKeyword':
      return { keyword: `${body.keyword} ${free}` };
    case 'createReply':
      return { ...body, shortcut: `free-${free}` };
    case 'createRoom':
    case 'updateRoom':
      return { ...body, label: `${body.label}-${free}` };
    default:
      return body;
  }
};
