import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { PASSWORD } from './members.ts';
import { caller } from './rest.ts';
import { oneOwner, useServer } from './shared-server.ts';

/** Requests whose body comes once their sender may no longer do what they ask for. */

const server = useServer();

/** Sends a request up to the last byte of its body. @returns sends that, and gives the response's status */
const begin = async (method: string, path: string, headers: Record<string, string>, body: object) => {
  const { hostname, port, host } = new URL(server().url);
  const bytes = Buffer.from(JSON.stringify(body));
  const socket = connect(Number(port), hostname);
  const answered = text(socket);
  const fields = {
    Host: host,
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': String(bytes.length),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  socket.write(bytes.subarray(0, -1));
  await once(socket, 'connect');
  return async (): Promise<number> => {
    socket.write(bytes.subarray(-1));
    return Number((await answered).split(' ', 2)[1]);
  };
};

let count = 0;
const newName = () => `late-${++count}`;

/** A member of the account, and the Authorization of its own token. */
const join = async (rest: ReturnType<typeof caller>, role: string) => {
  const { url } = server();
  const username = newName();
  const invited = await rest('POST', '/api/v1/members/', { email: `${username}@example.com`, role });
  const token = invited.json.invite_url.split('#token=')[1];
  const given = { username, password: PASSWORD };
  const accepted = { ...given, token, password2: PASSWORD };
  const { json } = await caller(url)('POST', '/api/v1/auth/accept-invitation', accepted);
  const own = await caller(url)('POST', '/api/v1/auth/api-token', given);
  return { uuid: json.uuid as string, authorization: `Token ${own.json.token}` };
};

it.each([
  ['removed', 401],
  ['an operator', 403],
])('does nothing for a member who has been %s since', async (become, status) => {
  const { rest } = await oneOwner(server().url);
  const { uuid, authorization } = await join(rest, 'admin');
  const friend = await join(rest, 'operator');
  const headers = { Authorization: authorization };
  const asked = await Promise.all([
    begin('POST', '/api/v1/members/', headers, { email: `${newName()}@example.com`, role: 'admin' }),
    begin('PATCH', `/api/v1/members/${friend.uuid}/`, headers, { role: 'admin' }),
    begin('POST', '/api/v1/webhooks/', headers, { event: 'lead.added', target: 'https://example.com/' }),
    begin('POST', '/api/v1/keywords/', headers, { keyword: 'refund' }),
  ]);
  // So that all of them have been let in.
  await rest('GET', '/api/v1/members/');
  const path = `/api/v1/members/${uuid}/`;
  const { status: done } = await (become === 'removed'
    ? rest('DELETE', path)
    : rest('PATCH', path, { role: 'operator' }));
  expect(done).toBeLessThan(300);
  for (const finish of asked) expect(await finish()).toBe(status);
  const { json: members } = await rest('GET', '/api/v1/members/');
  const roles = members.map(({ role }: { role: string }) => role);
  expect(roles).toEqual(become === 'removed' ? ['operator', 'owner'] : ['operator', 'operator', 'owner']);
  for (const kind of ['webhooks', 'keywords']) {
    expect((await rest('GET', `/api/v1/${kind}/`)).json).toEqual([]);
  }
});

it('does what is asked for where nothing has changed', async () => {
  const { rest, token } = await oneOwner(server().url);
  const headers = { Authorization: `Token ${token}` };
  const finish = await begin('POST', '/api/v1/keywords/', headers, { keyword: 'refund' });
  expect(await finish()).toBe(201);
  expect((await rest('GET', '/api/v1/keywords/')).json).toMatchObject([{ keyword: 'refund' }]);
});

it('does nothing for a visitor who was erased, nor by a key that was changed since', async () => {
  const { url } = server();
  const { rest, widget } = await oneOwner(url);
  const path = `/api/v1/widgets/${widget}/sessions/`;
  const { json: session } = await caller(url)('POST', path, {});
  const visitor = { Authorization: `Visitor ${session.token}` };
  const nodes = [
    { id: 's', type: 'start', next: 'e' },
    { id: 'e', type: 'end', text: 'Hello' },
  ];
  const { json: workflow } = await rest('POST', '/api/v1/workflows/', {
    name: 'Bot',
    is_published: true,
    nodes,
  });
  const message = await begin('POST', '/api/v1/messages/', visitor, { body: 'Hi', room: session.room });
  const start = await begin(
    'POST',
    '/api/v1/public/conversations/start',
    { 'X-API-Key': workflow.public_key },
    { metadata: {} },
  );
  expect((await caller(url, visitor.Authorization)('DELETE', path)).status).toBe(204);
  expect((await rest('POST', `/api/v1/workflows/${workflow.uuid}/rotate-key/`)).status).toBe(200);
  expect(await message()).toBe(401);
  expect(await start()).toBe(401);
  expect((await rest('GET', '/api/v1/rooms/')).json).toEqual([]);
});
