import { randomUUID } from 'node:crypto';
import { Agent, fetch } from 'undici';
import { expect, onTestFinished } from 'vitest';
import { bodyFor, type Callable, credentialFor, type Fixtures, makeFixtures, pathFor } from './fixtures.ts';
import { type Operation, operations } from './openapi.ts';
import { mediaTypeOf } from './pictures.ts';
import { useServer } from './shared-server.ts';
import { StrictConnection, type WireAnswer } from './strict-http.ts';

/** A request as any client would send it. */
interface WireRequest {
  what: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/** What came back, for a test to look through. */
interface Asked {
  what: string;
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Sends a request and reads its whole answer. */
export type Ask = (request: WireRequest) => Promise<Asked>;

const asked = ({ what }: WireRequest, { status, headers, body }: WireAnswer): Asked => ({
  what,
  status,
  headers,
  text: body.toString(),
});

/** By the strict parser. A connection that the server closes may not be used again. */
export const byStrictParser =
  (connection: StrictConnection): Ask =>
  async (request) => {
    const { method, path, headers, body } = request;
    return asked(request, await connection.request(method, path, headers, body));
  };

/**
 * By undici's fetch, over one connection that is kept alive.
 * @param ca the authority of an https server
 * @param localAddress which of this machine's addresses to come from
 */
export const byFetch = (
  url: string,
  ca?: string,
  localAddress?: string,
): Ask & { close(): Promise<void> } => {
  const connect = { ca, servername: 'localhost' };
  const dispatcher = new Agent({
    connections: 1,
    pipelining: 1,
    connect,
    ...(localAddress && { localAddress }),
  });
  const ask: Ask = async ({ what, method, path, headers, body = null }) => {
    const answer = await fetch(url + path, { method, headers, body, dispatcher, redirect: 'manual' });
    return {
      what,
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      text: await answer.text(),
    };
  };
  return Object.assign(ask, { close: () => dispatcher.destroy() });
};

/** Bytes as they are, all else as JSON. */
const asSent = (body: unknown): string | Buffer => (Buffer.isBuffer(body) ? body : JSON.stringify(body));

/** What the fixtures of the document's operations are made through, over a socket. */
export const callableBy = (ask: Ask): Callable => {
  const request: Callable['request'] = async (method, path, { token, visitor, headers, body } = {}) => {
    const authorization = token ? `Token ${token}` : visitor && `Visitor ${visitor}`;
    const answer = await ask({
      what: `${method} ${path}`,
      method,
      path,
      headers: {
        ...(authorization && { authorization }),
        ...(body !== undefined && { 'content-type': mediaTypeOf(body) }),
        ...headers,
      },
      ...(body !== undefined && { body: asSent(body) }),
    });
    const isJson = /json/.test(answer.headers['content-type'] ?? '') && answer.text !== '';
    return { ...answer, json: isJson ? JSON.parse(answer.text) : undefined };
  };
  return {
    request,
    account: async () => {
      const username = `user-${randomUUID().slice(0, 8)}`;
      const password = 'a long enough secret';
      const person = { username, email: `${username}@example.com`, password, password2: password };
      await request('POST', '/api/v1/auth/register', { body: person });
      const { token } = (await request('POST', '/api/v1/auth/api-token', { body: { username, password } }))
        .json;
      const [widget] = (await request('GET', '/api/v1/widgets/', { token })).json;
      return { token, id: '', username, widget: widget.token };
    },
    session: async (widget) => {
      const path = `/api/v1/widgets/${widget}/sessions/`;
      const { token, room } = (await request('POST', path, { body: {} })).json;
      return { visitor: token, room };
    },
  };
};

/** They ask for codes at the next sign-in, or end sessions and a set-up under way: after everything else, in this order. */
const LAST = ['confirmTotp', 'beginTotp', 'disableTotp', 'changePassword'];

/** What takes something away comes last: a session before its widget, and what stands in a conversation before its room. */
const inOrder = (): Operation[] => {
  const rank = ({ id, method, path }: Operation): number => {
    if (LAST.includes(id)) return 3 + LAST.indexOf(id);
    // Another picture has another address.
    if (['rotateWorkflowKey', 'eraseSession', 'putOwnAvatar'].includes(id)) return 1;
    if (method !== 'DELETE') return 0;
    return path.startsWith('/api/v1/conversations/') ? 1 : 2;
  };
  return operations.toSorted((one, other) => rank(one) - rank(other));
};

/** The document's example, changed so that what the other operations use stays what it is. */
const harmlessBody = (operation: Operation, fixtures: Fixtures): object | undefined => {
  const body = bodyFor(operation, fixtures);
  switch (operation.id) {
    case 'updateRoom':
    case 'changeRoom':
      return { ...body, label: fixtures.room.label };
    case 'updateWorkflow':
    case 'changeWorkflow':
      return { ...body, is_published: true };
    case 'updateWebhook':
    case 'changeWebhook':
      return { ...body, target: `http://127.0.0.1:8/${randomUUID()}` };
    default:
      return body;
  }
};

/**
 * Asks every operation of the OpenAPI document twice; then those that read as HEAD and on the condition that the
 * object has changed; then wrongly: without a credential, with a broken body, with a foreign type, by a method that
 * the path has not. @returns every answer, in order
 */
const askEverything = async (ask: Ask): Promise<Asked[]> => {
  const answers: Asked[] = [];
  const fixtures = await makeFixtures(callableBy(ask));
  for (const operation of inOrder()) {
    const { id, method, callers } = operation;
    const credential = credentialFor(operation, fixtures) as {
      token?: string;
      visitor?: string;
      headers?: Record<string, string>;
    };
    const { token, visitor } = credential;
    const headers: Record<string, string> = {
      ...(token && { authorization: `Token ${token}` }),
      ...(visitor && { authorization: `Visitor ${visitor}` }),
      ...credential.headers,
    };
    const isPublicRead = id === 'retrieveWidget';
    const path = pathFor(operation, fixtures) + (isPublicRead ? `?token=${fixtures.ids.widgets}` : '');
    const typed = (body: unknown) => ({ ...headers, 'content-type': mediaTypeOf(body) });
    const write = async (what: string, more: Partial<WireRequest> = {}) => {
      const body = harmlessBody(operation, fixtures);
      const sent = body === undefined ? { headers } : { headers: typed(body), body: asSent(body) };
      const answer = await ask({ what: `${id}, ${what}`, method, path, ...sent, ...more });
      answers.push(answer);
      return answer;
    };
    /** On the condition that it has changed; what changes meanwhile, as a delivery that is tried again, is asked anew. */
    const unchanged = async (what: string, by: string, etag: string): Promise<void> => {
      for (let left = 5; ; left--) {
        const sent = { headers: { ...headers, 'if-none-match': etag } };
        const answer = await ask({ what: `${id}, ${what}`, method: by, path, ...sent });
        const { etag: next = etag } = answer.headers;
        if (left === 0 || next === etag) return void answers.push(answer);
        etag = next;
      }
    };
    const first = await write('once');
    await write('again');
    if (method === 'GET') {
      await write('HEAD', { method: 'HEAD' });
      if (first.headers.etag) {
        await unchanged('unchanged', 'GET', first.headers.etag);
        await unchanged('unchanged, HEAD', 'HEAD', first.headers.etag);
      }
    }
    if (!callers.includes('public'))
      await write('nobody', { headers: { 'content-type': 'application/json' } });
    if (operation.body || operation.bytes.length > 0) {
      const [type = 'application/json'] = operation.bytes;
      await write('a broken body', { headers: { ...headers, 'content-type': type }, body: '{"a":' });
      await write('a foreign type', { headers: { ...headers, 'content-type': 'text/plain' }, body: 'a' });
    }
    await write('another method', { method: 'OPTIONS', headers });
  }
  return answers;
};

const statuses = (answers: Asked[], what: string) =>
  answers.filter((one) => one.what.endsWith(what)).map((one) => `${one.what}: ${one.status}`);

/** Asks everything, and looks through what came; a fault of the bytes has been thrown by then. */
export const checkEverything = async (ask: Ask): Promise<void> => {
  const answers = await askEverything(ask);
  expect(answers.length).toBeGreaterThan(4 * operations.length);
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  for (const { id, headers } of operations.filter(({ method }) => method === 'GET')) {
    const statusOf = (what: string) => answers.find((one) => one.what === `${id}, ${what}`)?.status;
    const first = statusOf('once') ?? 0;
    expect([id, statusOf('HEAD')]).toEqual([id, first]);
    const unchanged = headers[first]?.includes('ETag') ? 304 : undefined;
    expect([id, statusOf('unchanged'), statusOf('unchanged, HEAD')]).toEqual([id, unchanged, unchanged]);
  }
  for (const [what, status] of [
    [
      'once',
      /: 20[0-4]$|^(startOidc|finishOidc|finishOidcByCode), once: 404$|^(confirmPasswordReset|startSessionByLink|deleteAccount), once: 400$/,
    ],
    ['nobody', /: 401$/],
    ['a broken body', /: 400$/],
    ['a foreign type', /: 415$/],
    ['another method', /: (405|204)$/],
  ] as const) {
    expect([what, statuses(answers, what).filter((one) => !status.test(one))]).toEqual([what, []]);
  }
};

/** A server for all tests of a file. @returns what opens connections to it, until the test ends */
export const useConnections = () => {
  const server = useServer();
  return async () => {
    const { url } = server();
    const fetching = byFetch(url);
    onTestFinished(() => fetching.close());
    const connection = await StrictConnection.open(url);
    onTestFinished(() => connection.close());
    return { url, fetching, connection };
  };
};
